import { isProviderID } from './setups.ts';

// The providers of the platform that the service has presets for.

export const presets = ['google', 'github', 'microsoft', 'apple', 'other'] as const;
export type Preset = (typeof presets)[number];

type Social = {
  name: string;
  kind: 'oidc' | 'oauth';
  /** Where the application is registered. */
  console?: string;
  /** The provider's name of the field for the redirect address. */
  redirect: string;
};

export const socials: Readonly<Record<Preset, Social>> = {
  google: {
    name: 'Google',
    kind: 'oidc',
    console: 'https://console.cloud.google.com/apis/credentials',
    redirect: 'Authorized redirect URIs',
  },
  github: {
    name: 'GitHub',
    kind: 'oauth',
    console: 'https://github.com/settings/developers',
    redirect: 'Authorization callback URL',
  },
  microsoft: {
    name: 'Microsoft',
    kind: 'oidc',
    console: 'https://entra.microsoft.com',
    redirect: 'Redirect URI → Web',
  },
  apple: {
    name: 'Apple',
    kind: 'oidc',
    console: 'https://developer.apple.com/account/resources',
    redirect: 'Return URLs',
  },
  other: { name: '', kind: 'oidc', redirect: 'redirect_uri' },
};

/** The choices in the address of the set-up. `id`: the reserved ID of the provider. */
export type PresetSearch = { preset?: Preset; id?: string };

export function readPreset({ preset, id }: Record<string, unknown>): PresetSearch {
  const match = presets.find((one) => one === preset);
  return { ...(match && { preset: match }), ...(isProviderID(id) && { id }) };
}
