import type { ItemOf } from '@bailiwick/client/client.ts';
import type { States } from '../parts/state.tsx';
import type { TextKey } from '../parts/text-keys.ts';

export const sourceTexts: Readonly<Record<string, { text: TextKey }>> = {
  creator: { text: 'people.byCreation' },
  invitation: { text: 'people.byInvitation' },
  sso: { text: 'people.bySso' },
  admin: { text: 'people.byAdmin' },
  scim: { text: 'people.byScim' },
};

export const statuses: States = {
  active: { text: 'people.active', color: 'teal.9' },
  pending: { text: 'people.notAccepted', color: 'accent.7' },
  disabled: { text: 'people.disabled', color: 'gray.7' },
};

export const nameOf = ({ User, UserID }: ItemOf<'TenantMembers_List'>): string =>
  User?.Email ?? UserID;
