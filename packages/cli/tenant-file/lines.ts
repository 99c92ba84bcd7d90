import type {
  Bot,
  BotGrant,
  ChatEndpoint,
  Grant,
  Group,
  GroupGrant,
  Role,
  User,
  WebhookEndpoint,
} from '../../client/gen/types.ts';

// A tenant as JSON Lines: one record a line, each after those that it names.

export type GrantLine = Pick<Grant, 'Role' | 'Resource'> & { ExpiresAt?: string };

/** A line, by its kind. The records have the names and fields of the API, without what the service sets. */
export type Line =
  | { Kind: 'tenant'; Name: string; Slug: string; DefaultRole: string }
  | ({ Kind: 'role' } & Pick<Role, 'Slug' | 'Name' | 'Description' | 'Permissions'>)
  | ({ Kind: 'group' } & Pick<Group, 'Path' | 'Name' | 'Description' | 'ExternalID' | 'Metadata'>)
  | ({ Kind: 'user'; Status: string; Groups: string[]; Grants: GrantLine[] } & Profile)
  | ({ Kind: 'group_grant'; Group: string } & GrantLine)
  | ({ Kind: 'bot'; Grants: GrantLine[] } & Pick<
      Bot,
      'Name' | 'Description' | 'Active' | 'Metadata'
    >)
  | ({ Kind: 'webhook_endpoint' } & Pick<
      WebhookEndpoint,
      'Name' | 'URL' | 'Active' | 'EventTypes' | 'Description' | 'RateLimit'
    >)
  | ({ Kind: 'chat_endpoint'; Service: string } & Pick<
      ChatEndpoint,
      'Name' | 'Active' | 'EventTypes' | 'Description'
    >);

type Profile = Pick<
  User,
  | 'Email'
  | 'EmailVerified'
  | 'Name'
  | 'GivenName'
  | 'FamilyName'
  | 'Picture'
  | 'Locale'
  | 'ExternalID'
  | 'Metadata'
>;

export type LineOf<Kind extends Line['Kind']> = Extract<Line, { Kind: Kind }>;

export const grantLine = ({
  Role,
  Resource,
  ExpiresAt,
}: Grant | GroupGrant | BotGrant): GrantLine => ({
  Role,
  Resource,
  ...(ExpiresAt !== undefined && { ExpiresAt }),
});
