import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '@bailiwick/process';
import { createBrands } from './brands.ts';
import { openTemplates, renderMail } from './templates.ts';

const sender = { service: 'Example', publicUrl: 'https://example.com/iam' };
const settings = { brandName: '', brandLogo: '', brandColor: '#0b6b3a' };
const acme = {
  name: 'Acme https://evil.example',
  accentColor: '#8a1538',
  termsUrl: '',
  privacyUrl: '',
  logoPath: '/brand/tnt_1/logo?v=1&x',
  logoWidth: 800,
  logoHeight: 96,
};
const none = { ...acme, name: '', accentColor: '', logoPath: '', logoWidth: 0, logoHeight: 0 };
const log = createLog('notifications', () => {});

/** The brands of an access service that answers like this. */
function brandsOf(answer: () => Promise<{ branding: typeof acme }>) {
  let calls = 0;
  const getBranding = () => {
    calls++;
    return answer();
  };
  const tenants = { getBranding } as unknown as Parameters<typeof createBrands>[0]['tenants'];
  return { brands: createBrands({ tenants, settings, sender, log }), calls: () => calls };
}

const templates = openTemplates('');
const htmlOf = async (brands: ReturnType<typeof createBrands>, tenant: string) =>
  renderMail(
    templates,
    'password_changed',
    'en',
    { email: 'a@b.example', ...sender },
    await brands.of(tenant),
  ).html;

test('a mail has the name, the logo and the colours of its tenant', async () => {
  const { brands, calls } = brandsOf(() => Promise.resolve({ branding: acme }));
  const html = await htmlOf(brands, 'tnt_1');
  // A name is no link, as everywhere in mails.
  assert.match(html, /<p class="service"><bdi>Acme https evil example<\/bdi> · Example<\/p>/);
  assert.ok(
    html.includes(
      '<img class="logo" src="https://example.com/iam/brand/tnt_1/logo?v=1&amp;x" alt="" width="200" height="24">',
    ),
    html,
  );
  assert.ok(html.includes('background: #8a1538; color: #ffffff'));
  await htmlOf(brands, 'tnt_1');
  assert.equal(calls(), 1);
});

test('a mail has the installation’s branding if its tenant has set none, or if it is about no tenant', async () => {
  const { brands } = brandsOf(() => Promise.resolve({ branding: none }));
  for (const tenant of ['tnt_1', '']) {
    const html = await htmlOf(brands, tenant);
    assert.match(html, /<p class="service">Example<\/p>/);
    assert.ok(html.includes('background: #0b6b3a'));
    assert.ok(!html.includes('<img'));
  }
});

test('a tenant without a name of its own, or with the platform’s, gets no logo in mails', async () => {
  for (const name of ['', 'example', ' EXAMPLE ']) {
    const { brands } = brandsOf(() => Promise.resolve({ branding: { ...acme, name } }));
    const html = await htmlOf(brands, 'tnt_1');
    assert.match(html, /<p class="service">Example<\/p>/);
    assert.ok(!html.includes('<img'), name);
  }
});

test('a mail is sent while access is away, and has the tenant’s looks afterwards', async () => {
  let isAway = true;
  const { brands } = brandsOf(() =>
    isAway ? Promise.reject(new Error('away')) : Promise.resolve({ branding: acme }),
  );
  assert.deepEqual(await brands.of('tnt_1'), { name: '', color: '#0b6b3a' });
  isAway = false;
  assert.equal((await brands.of('tnt_1')).color, '#8a1538');
});
