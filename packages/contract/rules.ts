import {
  denied,
  factorRequired,
  linkUnconfirmed,
  methodRefused,
  otherTenant,
  type Problem,
  problem,
  providerRefused,
  providerUnconfirmed,
  type ServiceError,
  scopeMissing,
  ssoRequired,
  suspended,
} from '@bailiwick/errors';
import type { Message } from '@bufbuild/protobuf';
import {
  asSupportedUser,
  assertRecentLogin,
  type Caller,
  holdsInTenant,
  holdsOnPlatform,
  isForAccount,
} from './caller.ts';
import { jsonPath, type Operation, platformFlag, type Rule, tenantField } from './operation.ts';
import { accountScope, includes } from './permission-patterns.ts';
import { platformPlace } from './policies.ts';
import { fieldIsTrue, fieldText, setField } from './request-fields.ts';
import { refusalInToken, type SessionRefusal } from './session-check.ts';
import { oneLine } from './shown-text.ts';

// Evaluates the rules of an operation's option: whether a rule allows a call, why none does, and
// whether a request must name a tenant.

/** Whether a rule allows a call. The handler checks a `handler` rule. */
export function allows(
  rule: Rule,
  operation: Operation,
  request: Message,
  caller: Caller,
): boolean {
  if (needsAccount(rule, operation) && !isForAccount(caller)) return false;
  switch (rule.kind) {
    case 'self':
      return (
        asSupportedUser(caller).type === 'user' &&
        isWithinLimit(operation, request, caller) &&
        (rule.field === 'caller' || isSelf(fieldText(operation, request, rule.field), caller))
      );
    case 'tenant':
      return holdsInTenant(caller, rule.permission, fieldText(operation, request, rule.field));
    case 'platform':
      return (
        holdsOnPlatform(caller, rule.permission) &&
        (rule.without === '' || fieldText(operation, request, rule.without) === '') &&
        (rule.when === '' || fieldIsTrue(operation, request, rule.when))
      );
    case 'handler':
      return isWithinLimit(operation, request, caller);
  }
}

/**
 * Whether a limited session may use the operation's self and handler rules. Its permissions are
 * limited where access computes them.
 */
function isWithinLimit(
  operation: Operation,
  request: Message,
  { limitedTo, voucher }: Caller,
): boolean {
  if (limitedTo === '' || operation.limitedSession === 'allowed') return true;
  // The author of the change must not leave in the person's name.
  if (voucher !== '' && operation.sideEffects) return false;
  return (
    operation.limitedSession === 'inItsTenant' &&
    fieldText(operation, request, tenantField(operation)) === limitedTo
  );
}

/** Whether an access token needs the scope `account` for a rule. */
const needsAccount = ({ kind }: Rule, { accessToken }: Operation): boolean =>
  accessToken === 'account' ||
  kind === 'self' ||
  (accessToken === 'accountForHandler' && kind === 'handler');

/** The scopes of which an access token needs one, if it has none of them; empty otherwise. */
function missingScopes(operation: Operation, caller: Caller): string[] {
  if (caller.clientId === '') return [];
  if (operation.accessToken === 'account' && !isForAccount(caller)) return [accountScope];
  const sufficient = operation.allow.map((rule) => {
    if (needsAccount(rule, operation)) return accountScope;
    return 'permission' in rule ? rule.permission : '';
  });
  const has = (scope: string) =>
    scope === '' ||
    (scope === accountScope ? isForAccount(caller) : includes(caller.narrowedTo, scope));
  return sufficient.some(has) ? [] : [...new Set(sufficient)];
}

const isSelf = (subject: string, caller: Caller) =>
  subject !== '' && (subject === caller.id || subject === caller.email);

/**
 * Whether the caller decides if a request is complete: it names no tenant, and not every caller
 * must.
 */
export function tenantDependsOnCaller(operation: Operation, request: Message): boolean {
  return (
    (operation.defaultTenant !== '' || operation.tenantOptional) &&
    fieldText(operation, request, tenantField(operation)) === ''
  );
}

/**
 * Problems with a request's tenant, the same for every operation: it is missing, or named together
 * with the platform flag. `caller` may be undefined if the result does not depend on it.
 */
export function tenantProblems(
  operation: Operation,
  request: Message,
  caller: Caller | undefined,
): Problem[] {
  const path = tenantField(operation);
  if (path === '') return [];
  const tenant = fieldText(operation, request, path);
  const flag = platformFlag(operation);
  if (flag !== '' && fieldIsTrue(operation, request, flag))
    return tenant === '' ? [] : [mustBeEmpty(jsonPath(operation, path), jsonPath(operation, flag))];
  if (tenant !== '' || mayLeaveTenantOut(operation, request, caller)) return [];
  // The documented message of the two endpoint creations has no record name.
  const field = operation.defaultTenant === '' ? jsonPath(operation, path) : 'Tenant';
  return [problem(field, 'required', 'is required')];
}

const mustBeEmpty = (field: string, flag: string): Problem =>
  problem(field, 'empty', `must be empty if ${flag} is true`, { With: flag });

function mayLeaveTenantOut(
  operation: Operation,
  request: Message,
  caller: Caller | undefined,
): boolean {
  if (caller === undefined) return false;
  if (operation.defaultTenant !== '') return caller.tenant !== '';
  return (
    operation.tenantOptional &&
    operation.allow.some(
      (rule) => rule.kind !== 'tenant' && allows(rule, operation, request, caller),
    )
  );
}

/**
 * Fills in the caller's own tenant if the operation has that default and the request names none.
 */
export function fillTenant(operation: Operation, request: Message, caller: Caller): void {
  const { defaultTenant } = operation;
  if (defaultTenant !== '' && fieldText(operation, request, defaultTenant) === '')
    setField(operation, request, defaultTenant, caller.tenant);
}

/** The rule that allows a call, and its permission. @throws permission_denied if no rule does */
export function authorize(operation: Operation, request: Message, caller: Caller) {
  if (operation.allow.length === 0) return { allowedBy: undefined, permission: '' };
  const allowedBy = operation.allow.find((rule) => allows(rule, operation, request, caller));
  if (!allowedBy) throw refusalOf(operation, request, caller);
  if (operation.recentLogin) assertRecentLogin(caller);
  return { allowedBy, permission: 'permission' in allowedBy ? allowedBy.permission : '' };
}

function refusalOf(operation: Operation, request: Message, caller: Caller): ServiceError {
  const scopes = missingScopes(operation, caller);
  if (scopes.length > 0) return scopeMissing(scopes);
  const whole = { ...caller, limitedTo: '', voucher: '' };
  if (
    caller.limitedTo !== '' &&
    operation.allow.some((rule) => allows(rule, operation, request, whole))
  )
    return limitRefusal(caller);
  return tenantField(operation) === '' ? denied() : refusalIn(caller);
}

function limitRefusal({ voucher, clientId }: Caller): ServiceError {
  if (voucher !== '') return providerUnconfirmed();
  return clientId === '' ? linkUnconfirmed() : otherTenant();
}

/**
 * Active members learn why their tenant is closed to them. All others get the same error as for a
 * tenant that does not exist.
 */
function refusalIn(caller: Caller): ServiceError {
  if (caller.suspendedName !== '') return suspended(oneLine(caller.suspendedName));
  return sessionRefusal(caller.ssoTenant, refusalInToken(caller)) ?? denied();
}

/** The error for the member whose session a tenant refuses; undefined if the refusal is not one. */
export function sessionRefusal(
  ssoTenant: string,
  refusal: SessionRefusal,
): ServiceError | undefined {
  const isOfPlatform = ssoTenant === platformPlace;
  switch (refusal) {
    case 'provider_unconfirmed':
      return providerUnconfirmed();
    case 'method_refused':
      return isOfPlatform ? methodRefused() : providerRefused();
    case 'sso_required':
      return isOfPlatform ? methodRefused() : ssoRequired();
    case 'factor_required':
      return factorRequired();
    default:
      return undefined;
  }
}

/** The permission for the audit of a denied call: the first that would have allowed it. */
export function wantedPermission(operation: Operation): string {
  const rule = operation.allow.find((candidate) => 'permission' in candidate);
  return rule && 'permission' in rule ? rule.permission : '';
}
