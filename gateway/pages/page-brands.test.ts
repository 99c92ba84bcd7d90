import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AccessLimits } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import { Tenants } from '@bailiwick/proto/gen/bailiwick/access/v1/tenants_pb.ts';
import { createRouterTransport } from '@connectrpc/connect';
import { brandMarkup, brandStyle, createPageBrands, noBrand } from './page-brands.ts';

const texts = { terms: 'Terms', privacy: 'Privacy' };

test('a page without a brand has the name, the mark and the icon of the product', () => {
  const { brandHead, brandTitle, brand = '', brandLinks } = brandMarkup(noBrand, '../', texts);
  assert.equal(
    brandHead,
    '<link rel="icon" type="image/svg+xml" href="../pages/icon.svg" /><meta name="application-name" content="Bailiwick" />',
  );
  assert.equal(brandTitle, ' · Bailiwick');
  assert.match(
    brand,
    /^<header id="brand"><svg class="mark" [^>]*>.*<p><bdi>Bailiwick<\/bdi><\/p>/,
  );
  assert.equal(brandLinks, '');
});

test('a page with a brand has neither name nor mark of the product', () => {
  const own = brandMarkup({ ...noBrand, name: 'Acme' }, '', texts);
  assert.equal(own.brand, '<header id="brand"><p><bdi>Acme</bdi></p></header>');
  assert.equal(own.brandTitle, ' · Acme');
  const logo = { path: '/brand/logo', width: 80, height: 20 };
  const unnamed = brandMarkup({ ...noBrand, logo }, '', texts);
  assert.match(unnamed.brand ?? '', /^<header id="brand"><img [^>]*><\/header>$/);
  assert.equal(unnamed.brandTitle, '');
});

test('the markup of a brand escapes what a tenant chose, and gives the logo its size', () => {
  const { brandHead, brandTitle, brand, brandLinks } = brandMarkup(
    {
      name: '<b>Acme</b>',
      color: '#8a1538',
      termsUrl: 'https://acme.example/?a="&b',
      privacyUrl: '',
      logo: { path: '/brand/tnt_1/logo?v=1&"', width: 800, height: 112 },
      hasIcon: true,
    },
    '../../../',
    texts,
  );
  assert.equal(
    brandHead,
    '<link rel="stylesheet" href="../../../pages/brand.css?color=8a1538" /><link rel="icon" href="../../../brand/icon" /><meta name="application-name" content="&lt;b&gt;Acme&lt;/b&gt;" />',
  );
  assert.equal(brandTitle, ' · &lt;b&gt;Acme&lt;/b&gt;');
  assert.equal(
    brand,
    '<header id="brand"><img src="../../../brand/tnt_1/logo?v=1&amp;&quot;" alt="" width="240" height="34" /><p><bdi>&lt;b&gt;Acme&lt;/b&gt;</bdi></p></header>',
  );
  assert.equal(
    brandLinks,
    '<p id="brand-links"><a href="https://acme.example/?a=&quot;&amp;b" rel="noopener noreferrer">Terms</a></p>',
  );
});

test('the stylesheet has the colours of both schemes, and nothing for a colour that no brand can have', () => {
  const style = brandStyle('8a1538').toString();
  assert.match(style, /^:root\{--accent:#8a1538;.*prefers-color-scheme: dark/);
  for (const color of ['', 'ffcc00', 'red', '8a1538;}body{', '#8a1538'])
    assert.equal(brandStyle(color).toString(), '', color);
});

const platform = {
  brandName: 'Example ID',
  brandColor: '#0b6b3a',
  termsUrl: 'https://example.com/terms',
  privacyUrl: '',
};
const installation = {
  ...noBrand,
  name: platform.brandName,
  color: platform.brandColor,
  termsUrl: platform.termsUrl,
};
const acme = {
  name: 'Acme',
  accentColor: '#8a1538',
  termsUrl: 'https://acme.example/',
  privacyUrl: '',
  logoPath: '/brand/tnt_1/logo?v=1',
  logoWidth: 800,
  logoHeight: 112,
};

/** The brand of a tenant's page, if access answers like this. */
function brandFrom(
  branding: () => Promise<typeof acme>,
  take: () => Promise<object> = () => Promise.resolve({}),
) {
  const access = createRouterTransport(({ rpc }) => {
    rpc(AccessLimits.method.take, take);
    rpc(Tenants.method.getBranding, async () => ({ branding: await branding() }));
  });
  const images = { logo: undefined, icon: undefined };
  return createPageBrands(access, platform, images).of('acme', '192.0.2.1');
}

test('a page has the looks of its tenant, and what that has not set is the installation’s', async () => {
  assert.deepEqual(await brandFrom(() => Promise.resolve(acme)), {
    ...installation,
    name: 'Acme · Example ID',
    color: '#8a1538',
    termsUrl: 'https://acme.example/',
    logo: { path: '/brand/tnt_1/logo?v=1', width: 800, height: 112 },
  });
  const named = { ...acme, accentColor: '', termsUrl: '', logoPath: '' };
  assert.deepEqual(await brandFrom(() => Promise.resolve(named)), {
    ...installation,
    name: 'Acme · Example ID',
  });
});

test('a page has nothing of a tenant without a name of its own, or with the platform’s', async () => {
  for (const name of ['', ' ', 'Example ID', ' EXAMPLE  id '])
    assert.deepEqual(
      await brandFrom(() => Promise.resolve({ ...acme, name })),
      installation,
      JSON.stringify(name),
    );
});

test('a page has the installation’s looks while access fails or hangs, and waits a second', async () => {
  const failing = () => Promise.reject(new Error('away'));
  const hanging = () => new Promise<never>(() => {});
  const answering = () => Promise.resolve(acme);
  const start = performance.now();
  assert.deepEqual(
    await Promise.all([
      brandFrom(failing),
      brandFrom(answering, failing),
      brandFrom(hanging),
      brandFrom(answering, hanging),
    ]),
    Array.from({ length: 4 }, () => installation),
  );
  assert.ok(performance.now() - start < 5000);
});
