import type { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { type Image, readLogo } from '@bailiwick/contract';
import { accentProblem } from '@bailiwick/texts';
import type { Settings, SettingTable } from './config.ts';

// How the installation looks: on the pages of the gateway and in mails.

/** An image of the installation, read at the start. */
export type BrandImage = Image & { content: Buffer };

/** Reads an image; undefined for ''. @throws if it cannot be shown */
export function readBrandImage(file: string): BrandImage | undefined {
  if (file === '') return undefined;
  try {
    const content = readFileSync(file);
    return { ...readLogo(content), content };
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? 'cannot be read' : errorText(error);
    throw new Error(`names the image ${file}, which ${reason}`);
  }
}

const errorText = (error: unknown): string =>
  error instanceof Error ? error.message : 'is malformed';

function assertName(name: string): void {
  if (name.length > 64 || /\p{C}/u.test(name))
    throw new Error('must be at most 64 characters, without control characters');
}

function assertColor(color: string): void {
  const problem = color === '' ? undefined : accentProblem(color);
  if (problem !== undefined) throw new Error(problem);
}

function assertPage(url: string): void {
  if (url !== '' && URL.parse(url)?.protocol !== 'https:') throw new Error('must be an https URL');
}

/** The settings of pages and mails. */
export const brandSettings = {
  brandName: {
    env: 'BAILIWICK_BRAND_NAME',
    kind: 'text',
    fallback: '',
    check: assertName,
    about:
      "The name of the service on the sign-in page and in mails. Empty = in mails, the name in BAILIWICK_MAIL_FROM or the public URL's host; on pages, none.",
  },
  brandLogo: {
    env: 'BAILIWICK_BRAND_LOGO_FILE',
    kind: 'text',
    fallback: '',
    check: readBrandImage,
    about:
      'File with the logo for pages and mails: a PNG, JPEG or WebP image of at most 64 KiB and 2048 × 2048 pixels, read at the start. Empty = none.',
  },
  brandColor: {
    env: 'BAILIWICK_BRAND_COLOR',
    kind: 'text',
    fallback: '',
    check: assertColor,
    about:
      'Accent colour of pages and mails, such as #1c4fc2. White text on it and the colour on the light page need a contrast of 4.5:1; dark pages use a lighter tone of it. Empty = blue.',
  },
} as const satisfies SettingTable;

/** The settings of pages. */
export const pageBrandSettings = {
  ...brandSettings,
  brandFavicon: {
    env: 'BAILIWICK_BRAND_FAVICON_FILE',
    kind: 'text',
    fallback: '',
    check: readBrandImage,
    about: 'File with the icon of the pages, with the same limits as the logo. Empty = the logo.',
  },
  termsUrl: {
    env: 'BAILIWICK_TERMS_URL',
    kind: 'text',
    fallback: '',
    check: assertPage,
    about: 'Terms of use that the pages link to, https. Empty = no link.',
  },
  privacyUrl: {
    env: 'BAILIWICK_PRIVACY_URL',
    kind: 'text',
    fallback: '',
    check: assertPage,
    about: 'Privacy policy that the pages link to, https. Empty = no link.',
  },
} as const satisfies SettingTable;

/** The values of these settings. */
export type BrandSettings = Settings<typeof brandSettings>;
