import type { ItemOf, ResponseOf } from '@bailiwick/client/client.ts';
import type { IconName } from '../parts/icon.tsx';
import type { TextKey } from '../parts/text-keys.ts';

// The points that need the attention of an administrator, from the answers that the overview has.

export type Notice = {
  icon: IconName;
  text: TextKey;
  values: { name: string } | { count: number; hasMore?: boolean };
  /** The view below the tenant that shows it. */
  to: string;
  search?: Readonly<Record<string, string>>;
};

type Area = 'webhooks' | 'chat';

type Endpoint = Pick<ItemOf<'Webhooks_ListEndpoints'>, 'ID' | 'Name' | 'DisabledReason' | 'Health'>;

export type Answers = {
  endpoints: Readonly<Partial<Record<Area, readonly Endpoint[]>>>;
  bots?: ResponseOf<'Bots_GetCounts'> | undefined;
  providers?: readonly ItemOf<'Sso_ListProviders'>[] | undefined;
  domains?: readonly ItemOf<'Domain_List'>[] | undefined;
  /** The pending ones, the oldest first. */
  invitations?: readonly ItemOf<'TenantInvitations_List'>[] | undefined;
};

const dayMs = 24 * 60 * 60 * 1000;
/** More of one kind are one line. */
const mostOfAKind = 3;

export function noticesOf(answers: Answers, now: number): Notice[] {
  const { endpoints, bots, providers = [], domains = [], invitations = [] } = answers;
  const endsWithin = (at: string | undefined, days: number) =>
    at !== undefined && Date.parse(at) < now + days * dayMs;
  const { Value: keys = 0, HasMore: hasMoreKeys = false } = bots?.ExpiringKeys ?? {};
  const ending = invitations.filter(({ ExpiresAt }) => endsWithin(ExpiresAt, 2)).length;
  return [
    ...(['webhooks', 'chat'] as const).flatMap((area) =>
      endpointNotices(area, endpoints[area] ?? []),
    ),
    ...providers
      .filter(({ Unconfirmed }) => Unconfirmed)
      .map((provider) => named('key', 'attention.unconfirmed', provider, 'sso')),
    ...providers
      .filter(({ Active, CertificatesExpireAt }) => Active && endsWithin(CertificatesExpireAt, 30))
      .map((provider) => named('key', 'attention.certificate', provider, 'sso')),
    ...domainNotices(domains),
    ...(keys > 0
      ? [
          {
            icon: 'bot' as const,
            text: 'attention.keys' as const,
            values: { count: keys, hasMore: hasMoreKeys },
            to: 'bots',
          },
        ]
      : []),
    ...(ending > 0
      ? [
          {
            icon: 'mail' as const,
            text: 'attention.invitations' as const,
            values: { count: ending },
            to: 'members/invitations',
            search: { status: 'pending' },
          },
        ]
      : []),
  ];
}

const named = (
  icon: IconName,
  text: TextKey,
  { ID, Name }: { ID: string; Name: string },
  view: string,
): Notice => ({ icon, text, values: { name: Name }, to: `${view}/${ID}` });

/**
 * The endpoints that the service cannot reach, and those that it switched off. One without
 * FailingSince delivers: it is paused because its receiver has asked for that.
 */
function endpointNotices(area: Area, endpoints: readonly Endpoint[]): Notice[] {
  const icon = area === 'chat' ? 'chat' : 'bell';
  const off = endpoints.filter(({ DisabledReason }) => DisabledReason !== '');
  const failing = endpoints.filter(
    ({ DisabledReason, Health }) =>
      DisabledReason === '' &&
      Health?.FailingSince !== undefined &&
      (Health.State === 'failing' || Health.State === 'paused'),
  );
  if (off.length + failing.length > mostOfAKind)
    return [
      {
        icon,
        text: area === 'chat' ? 'attention.channels' : 'attention.endpoints',
        values: { count: off.length + failing.length },
        to: area,
      },
    ];
  return [
    ...failing.map((endpoint) => named(icon, 'attention.failing', endpoint, area)),
    ...off.map((endpoint) => named(icon, 'attention.off', endpoint, area)),
  ];
}

function domainNotices(domains: readonly ItemOf<'Domain_List'>[]): Notice[] {
  const unverified = domains.filter(({ Status }) => Status !== 'verified');
  if (unverified.length > mostOfAKind)
    return [
      {
        icon: 'globe',
        text: 'attention.domains',
        values: { count: unverified.length },
        to: 'domains',
      },
    ];
  return unverified.map(({ Name, Status }) => ({
    icon: 'globe',
    text: Status === 'lapsed' ? 'attention.lapsed' : 'attention.domain',
    values: { name: Name },
    to: 'domains',
  }));
}
