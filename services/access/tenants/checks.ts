import { leadsToSignIn, type ReturnRules, readReturnAddress } from '@bailiwick/contract';
import type { Checks } from '@bailiwick/pipeline';
import type {
  Tenant,
  TenantChange,
  Tenants,
} from '@bailiwick/proto/gen/bailiwick/access/v1/tenants_pb.ts';
import { brandingProblems } from './branding.ts';

/** The rules that the proto file cannot express. */
export function tenantChecks(rules: ReturnRules): Checks<typeof Tenants> {
  const problemsOf = (tenant: Tenant | TenantChange | undefined) => [
    ...appUrlProblems(tenant?.settings?.appUrl ?? '', rules),
    ...brandingProblems(tenant),
  ];
  return {
    create: ({ tenant }) => problemsOf(tenant),
    update: ({ tenant }) => problemsOf(tenant),
  };
}

/**
 * The sign-in page sends members to the address with a code for their session, so the platform
 * decides which origins get one, and not the owner of a tenant.
 */
function appUrlProblems(appUrl: string, rules: ReturnRules): string[] {
  const url = appUrl === '' ? undefined : URL.parse(appUrl);
  // The rule in the proto file reports other texts.
  if (!url) return [];
  if (url.protocol !== 'https:' && !isLoopback(url))
    return ['Tenant.Settings.AppURL must be https, or http on the same machine'];
  if (leadsToSignIn(appUrl, rules))
    return ['Tenant.Settings.AppURL must not lead to a sign-in of this service'];
  return readReturnAddress(appUrl, rules)
    ? []
    : ['Tenant.Settings.AppURL must be at an origin that the platform allows'];
}

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '127.0.0.1';
