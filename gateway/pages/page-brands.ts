import { Buffer } from 'node:buffer';
import { hasOwnName, oneLine, platformPlace } from '@bailiwick/contract';
import { type BrandImage, readBrandImage } from '@bailiwick/process';
import { AccessLimits } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import {
  type TenantBranding,
  Tenants,
} from '@bailiwick/proto/gen/bailiwick/access/v1/tenants_pb.ts';
import {
  accentColors,
  accentProblem,
  escapeHtml,
  isolated,
  isolatedHtml,
  markPath,
  palette,
  productName,
} from '@bailiwick/texts';
import { asService } from '@bailiwick/wire';
import { createClient, type Transport } from '@connectrpc/connect';
import { iconMarkup } from './face.ts';

// How the pages look: like the tenant that their address names, else like the installation.

/** `name` and `color` are '' without one. Paths of images begin with "/". */
export type PageBrand = {
  name: string;
  color: string;
  termsUrl: string;
  privacyUrl: string;
  logo?: { path: string; width: number; height: number };
  hasIcon: boolean;
};

export const noBrand: PageBrand = {
  name: '',
  color: '',
  termsUrl: '',
  privacyUrl: '',
  hasIcon: false,
};

type Settings = {
  brandName: string;
  brandColor: string;
  termsUrl: string;
  privacyUrl: string;
};

/** The images of the installation. */
export type OwnImages = { logo: BrandImage | undefined; icon: BrandImage | undefined };

/** Reads the images of the installation, whose icon is the logo unless it has one. */
export function readOwnImages(settings: { brandLogo: string; brandFavicon: string }): OwnImages {
  const logo = readBrandImage(settings.brandLogo);
  return { logo, icon: readBrandImage(settings.brandFavicon) ?? logo };
}

/** A page whose brand takes longer to find looks like the installation. */
const lookUpMs = 1000;

/** Finds the brand of a page. */
export function createPageBrands(access: Transport, settings: Settings, images: OwnImages) {
  const peer = asService(access, 'gateway');
  const [tenants, limits] = [createClient(Tenants, peer), createClient(AccessLimits, peer)];
  const { logo, icon } = images;
  const own: PageBrand = {
    name: settings.brandName,
    color: settings.brandColor,
    termsUrl: settings.termsUrl,
    privacyUrl: settings.privacyUrl,
    ...(logo && { logo: { path: '/brand/logo', width: logo.width, height: logo.height } }),
    hasIcon: icon !== undefined,
  };

  /**
   * The brand of a tenant, by ID or slug; '' = none. The calls of an address are limited: each asks
   * access. Beyond the limit, and while access is away, pages look like the installation.
   */
  async function of(tenant: string, ip: string): Promise<PageBrand> {
    // A platform's provider is no tenant's, even if one has that slug.
    if (tenant === platformPlace || !/^[a-z0-9_-]{2,63}$/.test(tenant)) return own;
    try {
      const options = { timeoutMs: lookUpMs };
      await limits.take({ rate: 'branding', ip }, options);
      const { branding } = await tenants.getBranding({ tenant }, options);
      return branding ? merged(own, branding) : own;
    } catch {
      return own;
    }
  }
  return { own, of };
}

function merged(own: PageBrand, branding: TenantBranding): PageBrand {
  const { accentColor, termsUrl, privacyUrl, logoPath, logoWidth, logoHeight } = branding;
  const name = oneLine(branding.name);
  if (!hasOwnName(name, own.name)) return own;
  return {
    ...own,
    // The service's name stays beside the tenant's, so that no tenant passes for the platform.
    name: own.name === '' ? name : `${isolated(name)} · ${own.name}`,
    color: accentColor || own.color,
    termsUrl: termsUrl || own.termsUrl,
    privacyUrl: privacyUrl || own.privacyUrl,
    ...(logoPath !== '' && { logo: { path: logoPath, width: logoWidth, height: logoHeight } }),
  };
}

export const mark = `<svg class="mark" viewBox="4 4 24 24" width="24" height="24" aria-hidden="true"><path d="${markPath}" /></svg>`;

/** The largest size of a logo on a page, in pixels. */
const logoSize = { width: 240, height: 56 };

/**
 * The markup of a brand, for the placeholders of a page. `root` leads from the page to the public
 * URL: "" or "../../../". The logo has its size, so that nothing moves when it has arrived.
 */
export function brandMarkup(
  { name, color, termsUrl, privacyUrl, logo, hasIcon }: PageBrand,
  root: string,
  texts: { terms: string; privacy: string },
): Record<string, string> {
  const style =
    color === ''
      ? ''
      : `<link rel="stylesheet" href="${root}pages/brand.css?color=${color.slice(1)}" />`;
  const icon = hasIcon ? `<link rel="icon" href="${root}brand/icon" />` : iconMarkup(root);
  const isBranded = logo !== undefined || name !== '';
  const image = logo ? logoMarkup(logo, root) : isBranded ? '' : mark;
  const shownName = isBranded ? name : productName;
  const links = [
    [termsUrl, texts.terms],
    [privacyUrl, texts.privacy],
  ].flatMap(([url = '', text = '']) =>
    url === ''
      ? []
      : [`<a href="${escapeHtml(url)}" rel="noopener noreferrer">${escapeHtml(text)}</a>`],
  );
  return {
    // Scripts of the pages end their titles with it.
    brandHead: `${style}${icon}<meta name="application-name" content="${escapeHtml(shownName)}" />`,
    brandTitle: shownName && ` · ${escapeHtml(shownName)}`,
    brand: `<header id="brand">${image}${shownName && `<p>${isolatedHtml(shownName)}</p>`}</header>`,
    brandLinks: links.length > 0 ? `<p id="brand-links">${links.join(' ')}</p>` : '',
  };
}

/**
 * The installation's icon, name and logo, for the console. The accent stays the console's own, since
 * the user chooses its scheme.
 */
export function consoleBrandMarkup(brand: PageBrand, root: string): string {
  const { brandHead = '' } = brandMarkup({ ...brand, color: '' }, root, { terms: '', privacy: '' });
  if (!brand.logo) return brandHead;
  const { path, width, height } = brand.logo;
  const size = `data-width="${width}" data-height="${height}"`;
  return `${brandHead}<meta name="bailiwick-logo" content="${root}${escapeHtml(path.slice(1))}" ${size} />`;
}

/** The image of a logo with this path below the public URL. */
export function logoMarkup(
  { path, width, height }: NonNullable<PageBrand['logo']>,
  root: string,
): string {
  const scale = Math.min(1, logoSize.width / width, logoSize.height / height);
  const [shownWidth, shownHeight] = [width, height].map((size) =>
    Math.max(1, Math.round(size * scale)),
  );
  return `<img src="${root}${escapeHtml(path.slice(1))}" alt="" width="${shownWidth}" height="${shownHeight}" />`;
}

/** The stylesheet of an accent colour, given as rrggbb; empty for one that no brand can have. */
export function brandStyle(color: string): Buffer {
  if (accentProblem(`#${color}`) !== undefined) return Buffer.from('');
  const { light, lightStrong, dark, darkStrong } = accentColors(`#${color}`);
  return Buffer.from(
    `:root{--accent:${light};--accent-strong:${lightStrong};--on-accent:${palette.light.onAccent}}` +
      `@media (prefers-color-scheme: dark){:root{--accent:${dark};--accent-strong:${darkStrong};--on-accent:${palette.dark.onAccent}}}`,
  );
}
