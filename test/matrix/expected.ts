import type { Operation, Rule } from '@bailiwick/contract';
import type { Case, Outcome } from './case.ts';
import { handlerOracles } from './handlers.ts';
import type { Place, Principal } from './place.ts';
import {
  type JsonObject,
  jsonPath,
  platformFlagOperations,
  tenantPath,
  valueAt,
} from './requests.ts';

// The expected outcome of a call. Checks run in this order: credential (401), shape (400),
// permission (403), state (400).

export type Expected = {
  outcome: Outcome;
  /** Whether the outcome needs the operation's own handler. An unimplemented operation has none. */
  byHandler: boolean;
};

export function expectedOf(testCase: Case): Expected {
  const { operation, who, place } = testCase;
  const early = (outcome: Outcome): Expected => ({ outcome, byHandler: false });
  if (operation.credential !== 'none') {
    if (who.kind === 'anonymous') return early('unauthenticated');
    if (tenantPath(operation) && isInvalid(testCase)) return early('invalid');
    if (!kindsOf[operation.credential]?.includes(who.kind)) return early('denied');
  }
  const rule = operation.allow.find((candidate) => allows(candidate, testCase));
  if (operation.allow.length > 0 && !rule) return early('denied');
  const oracle = handlerOracles[operation.name];
  if (rule?.kind === 'handler' && !oracle) {
    throw new Error(
      `${operation.name} has a rule that its handler decides: write its outcome by hand in test/matrix/handlers.ts ("${rule.rule}")`,
    );
  }
  // The platform may call for any tenant, and learns that a tenant or user does not exist.
  const exists =
    place.name !== 'missing' || !isAbout(testCase.request, [place.ids['tnt'], place.ids['usr']]);
  return {
    outcome:
      oracle?.({ ...testCase, rule }) ?? (exists || rule?.kind !== 'platform' ? 'ok' : 'not_found'),
    byHandler: true,
  };
}

const isAbout = (request: JsonObject, ids: ReadonlyArray<string | undefined>): boolean =>
  ids.some((id) => JSON.stringify(request).includes(`"${id}"`));

const kindsOf: Partial<Record<Operation['credential'], ReadonlyArray<Principal['kind']>>> = {
  session: ['user'],
  any: ['user', 'bot', 'platform'],
  bot: ['bot', 'platform'],
  // The worker's operations accept these credentials; the operation's rule denies them.
  worker: ['user', 'bot', 'platform', 'worker', 'portal'],
  portal: ['portal'],
};

/** Whether the tenant is malformed, or required and absent. */
function isInvalid({ operation, who, place, request }: Case): boolean {
  if (place.name === 'malformed') return true;
  if (place.name !== 'absent' || platformFlagOperations.includes(operation.name)) return false;
  if (operation.defaultTenant !== '') return who.home === undefined;
  if (withoutTenant.includes(operation.name)) return false;
  const permission = platformPermissions[operation.name];
  return (
    permission === undefined ||
    !(
      who.onPlatform(permission) ||
      (operation.name === 'Audit_ListByUser' && !who.limited && isAboutCaller(request, who))
    )
  );
}

/** Every caller may omit the tenant here: an update by ID, the keys of all tenants, a platform's app. */
const withoutTenant = [
  'Webhooks_UpdateEndpoint',
  'Chat_UpdateEndpoint',
  'Keys_Status',
  'Keys_Rotate',
  'AppLogouts_Deliver',
];

/**
 * In these operations an absent tenant means the platform, for callers that hold this permission
 * there.
 */
const platformPermissions: Readonly<Record<string, string>> = {
  Audit_List: 'iam.platform.audit.read',
  Audit_ListByUser: 'iam.platform.audit.read',
  Audit_Export: 'iam.platform.audit.read',
  Audit_Verify: 'iam.platform.audit.read',
  Audit_Anchor: 'iam.platform.audit.read',
  Tokens_Introspect: 'iam.tokens.introspect',
  Sso_SaveProvider: 'iam.platform.sso.write',
  Sso_GetProvider: 'iam.platform.sso.read',
  Sso_ListProviders: 'iam.platform.sso.read',
  Sso_ConfirmProvider: 'iam.platform.sso.write',
  Sso_DeleteProvider: 'iam.platform.sso.write',
  Sso_ReserveProvider: 'iam.platform.sso.write',
  Sso_TestProvider: 'iam.platform.sso.write',
  Apps_Save: 'iam.platform.apps.write',
  Apps_Get: 'iam.platform.apps.read',
  Apps_List: 'iam.platform.apps.read',
  AppLogouts_ListAttempts: 'iam.platform.apps.read',
  Apps_Delete: 'iam.platform.apps.write',
  Apps_RotateSecret: 'iam.platform.apps.write',
};

const isAboutCaller = (request: JsonObject, { kind, id }: Principal): boolean =>
  kind === 'user' && request['UserID'] === id;

function allows(rule: Rule, { operation, who, place, request }: Case): boolean {
  switch (rule.kind) {
    case 'self': {
      if (who.kind !== 'user' || !isWithinLimit(operation, who, place)) return false;
      const subject =
        rule.field === 'caller' ? who.id : valueAt(request, jsonPath(operation, rule.field));
      return subject === who.id || subject === who.email;
    }
    case 'tenant':
      return holdsThere(who, operation, place, rule.permission);
    case 'platform':
      return (
        who.onPlatform(rule.permission) &&
        ((rule.without === '' && rule.when === '') || place.name === 'absent')
      );
    case 'handler':
      return isWithinLimit(operation, who, place);
  }
}

/**
 * Operations that a session limited to its home tenant may call without a permission. All others
 * need the user's confirmation first.
 */
const forLimitedAnywhere = [
  'Account_Get',
  'Account_IssueCode',
  'Account_Logout',
  'Tenants_ListMine',
  'Users_Get',
  'Users_GetByEmail',
  'Users_ConfirmIdentity',
  'Grants_List',
  'Groups_ListMemberGroups',
  'Webhooks_ListEventTypes',
  'Webhooks_UpdateEndpoint',
  'Chat_UpdateEndpoint',
];
const forLimitedAtHome = [
  'TenantMembers_Remove',
  'Audit_ListByUser',
  'Access_Check',
  'Access_ListPermissions',
  'Access_Explain',
];

const isWithinLimit = ({ name }: Operation, { limited, home }: Principal, place: Place): boolean =>
  !limited ||
  forLimitedAnywhere.includes(name) ||
  (forLimitedAtHome.includes(name) && place.name === home);

function holdsThere(
  who: Principal,
  operation: Operation,
  place: Place,
  permission: string,
): boolean {
  const at = place.name === 'absent' && operation.defaultTenant !== '' ? who.home : place.name;
  return at !== undefined && (who.inTenant[at]?.(permission) ?? false);
}
