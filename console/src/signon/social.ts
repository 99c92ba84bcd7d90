// The providers of the platform that the service has presets for.

export const presets = ['google', 'github', 'microsoft', 'apple', 'other'] as const;
export type Preset = (typeof presets)[number];

type Social = {
  name: string;
  kind: 'oidc' | 'oauth';
  /** Where the application is registered. */
  console?: string;
};

export const socials: Readonly<Record<Preset, Social>> = {
  google: {
    name: 'Google',
    kind: 'oidc',
    console: 'https://console.cloud.google.com/apis/credentials',
  },
  github: { name: 'GitHub', kind: 'oauth', console: 'https://github.com/settings/developers' },
  microsoft: { name: 'Microsoft', kind: 'oidc', console: 'https://entra.microsoft.com' },
  apple: {
    name: 'Apple',
    kind: 'oidc',
    console: 'https://developer.apple.com/account/resources',
  },
  other: { name: '', kind: 'oidc' },
};

/** The choice in the address of the set-up. */
export type PresetSearch = { preset?: Preset };

export function readPreset({ preset }: Record<string, unknown>): PresetSearch {
  const match = presets.find((one) => one === preset);
  return match ? { preset: match } : {};
}
