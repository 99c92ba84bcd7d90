import type { ItemOf } from '@bailiwick/client/client.ts';
import type { IconName } from '../parts/icon.tsx';
import type { TextKey } from '../parts/text-keys.ts';

export type App = ItemOf<'Apps_List'>;

export const kinds = ['web', 'spa', 'native', 'device', 'service'] as const;
export type Kind = (typeof kinds)[number];

type KindText = { text: TextKey; description: TextKey; icon: IconName };

export const kindTexts: Readonly<Record<Kind, KindText>> = {
  web: { text: 'apps.web', description: 'apps.webAbout', icon: 'app' },
  spa: { text: 'apps.spa', description: 'apps.spaAbout', icon: 'code' },
  native: { text: 'apps.native', description: 'apps.nativeAbout', icon: 'devices' },
  device: { text: 'apps.device', description: 'apps.deviceAbout', icon: 'key' },
  service: { text: 'apps.service', description: 'apps.serviceAbout', icon: 'bot' },
};

/** Whether users come back to the app in a browser. */
export const hasRedirects = (kind: string): boolean => kind !== 'device' && kind !== 'service';

/** Whether the app runs on a server, which can keep a secret. */
export const keepsSecret = (kind: string): boolean => kind === 'web' || kind === 'service';

/** The scopes that a new app of a kind gets. */
export const usualScopes = (kind: Kind): string[] =>
  kind === 'service' ? [] : ['openid', 'profile', 'email'];

export const identityScopes = [
  'openid',
  'profile',
  'email',
  'offline_access',
  'groups',
  'account',
] as const;
