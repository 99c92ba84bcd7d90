import type { ItemOf } from '@bailiwick/client/client.ts';
import type { TextKey } from '../parts/text-keys.ts';

export const sourceTexts: Readonly<Record<string, { text: TextKey }>> = {
  creator: { text: 'people.byCreation' },
  invitation: { text: 'people.byInvitation' },
  sso: { text: 'people.bySso' },
  admin: { text: 'people.byAdmin' },
  scim: { text: 'people.byScim' },
};

export const nameOf = ({ User, UserID }: ItemOf<'TenantMembers_List'>): string =>
  User?.Email ?? UserID;
