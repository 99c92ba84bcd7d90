import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandMarkup, brandStyle, noBrand } from './page-brands.ts';

const texts = { terms: 'Terms', privacy: 'Privacy' };

test('a page without a brand has nothing of one', () => {
  assert.deepEqual(brandMarkup(noBrand, '', texts), { brandHead: '', brand: '', brandLinks: '' });
});

test('the markup of a brand escapes what a tenant chose, and gives the logo its size', () => {
  const { brandHead, brand, brandLinks } = brandMarkup(
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
    '<link rel="stylesheet" href="../../../pages/brand.css?color=8a1538" /><link rel="icon" href="../../../brand/icon" />',
  );
  assert.equal(
    brand,
    '<header id="brand"><img src="../../../brand/tnt_1/logo?v=1&amp;&quot;" alt="" width="240" height="34" /><p class="quiet">&lt;b&gt;Acme&lt;/b&gt;</p></header>',
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
