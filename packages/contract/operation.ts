import {
  AccessToken as AccessTokenOption,
  Credential as CredentialOption,
  host as hostOption,
  LimitedSession as LimitedSessionOption,
  operation as operationOption,
  type Rule as RuleOption,
  SessionCookie as SessionCookieOption,
} from '@bailiwick/proto/gen/bailiwick/options/v1/options_pb.ts';
import {
  type DescMessage,
  type DescMethod,
  type DescMethodUnary,
  type DescService,
  getOption,
} from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';

/** The process that serves an operation. */
export type Host = 'identity' | 'access' | 'sso' | 'notifications';

/**
 * The required credential: none, a user's session, a session or a bot key, a bot key, the delivery
 * worker's token, a call of another process, or a session of the receivers' portal.
 */
export type Credential = 'none' | 'session' | 'any' | 'bot' | 'worker' | 'service' | 'portal';

/** The effect of a response on the browser's cookies. */
type SessionCookie = 'set' | 'clear' | 'setSupport' | 'clearSupport';

/** A rule that allows a call. `field`, `without` and `when` are proto paths in the request; '' = not restricted. */
export type Rule =
  | { readonly kind: 'self'; readonly field: string }
  | { readonly kind: 'tenant'; readonly permission: string; readonly field: string }
  | {
      readonly kind: 'platform';
      readonly permission: string;
      readonly without: string;
      readonly when: string;
    }
  | { readonly kind: 'handler'; readonly rule: string };

/** The options of one operation in the proto files. options.proto documents each of them. */
export type Operation = {
  readonly name: string;
  readonly method: DescMethodUnary;
  readonly service: DescService;
  readonly host: Host;
  readonly credential: Credential;
  readonly allow: readonly Rule[];
  readonly audited: boolean;
  readonly rate: string;
  readonly recentLogin: boolean;
  readonly nullWhenAbsent: boolean;
  readonly assigned: readonly string[];
  readonly callers: readonly string[];
  readonly defaultTenant: string;
  /** Whether the request may omit its tenant if a rule other than the tenant rule allows the call. */
  readonly tenantOptional: boolean;
  /** Whether a successful response sets or clears a cookie of the browser. */
  readonly sessionCookie: SessionCookie | undefined;
  /** The request field that the gateway fills from the browser's link cookie; '' = none. */
  readonly linkCookie: string;
  /** Whether the response is one long text that is produced in parts. */
  readonly stream: boolean;
  /** Where a self or handler rule allows a limited session. */
  readonly limitedSession: 'refused' | 'inItsTenant' | 'allowed';
  /** When an access token of an app needs the scope `account`, or does not serve at all. */
  readonly accessToken: 'accountForSelf' | 'accountForHandler' | 'account' | 'refused';
  /** Whether a support session may call the operation. */
  readonly supportSession: boolean;
  /** Whether the gateway routes the operation at a path of its own. */
  readonly public: boolean;
  /** Whether a replica of the database may answer. */
  readonly fromReplica: boolean;
  readonly sideEffects: boolean;
  /** Whether a call can have an Idempotency-Key: the operation changes data, and its caller is known. */
  readonly takesIdempotencyKey: boolean;
};

const hosts: readonly Host[] = ['identity', 'access', 'sso', 'notifications'];

const credentials: Partial<Record<CredentialOption, Credential>> = {
  [CredentialOption.NONE]: 'none',
  [CredentialOption.SESSION]: 'session',
  [CredentialOption.ANY]: 'any',
  [CredentialOption.BOT]: 'bot',
  [CredentialOption.WORKER]: 'worker',
  [CredentialOption.SERVICE]: 'service',
  [CredentialOption.PORTAL]: 'portal',
};

const sessionCookies: Partial<Record<SessionCookieOption, SessionCookie>> = {
  [SessionCookieOption.SET]: 'set',
  [SessionCookieOption.CLEAR]: 'clear',
  [SessionCookieOption.SET_SUPPORT]: 'setSupport',
  [SessionCookieOption.CLEAR_SUPPORT]: 'clearSupport',
};

const limitedSessions: Partial<Record<LimitedSessionOption, Operation['limitedSession']>> = {
  [LimitedSessionOption.IN_ITS_TENANT]: 'inItsTenant',
  [LimitedSessionOption.ALLOWED]: 'allowed',
};

const accessTokens: Partial<Record<AccessTokenOption, Operation['accessToken']>> = {
  [AccessTokenOption.ACCOUNT_FOR_HANDLER]: 'accountForHandler',
  [AccessTokenOption.ACCOUNT]: 'account',
  [AccessTokenOption.REFUSED]: 'refused',
};

/** Reads the options of an rpc. Throws if they are incomplete: such an rpc must not be served. */
export function readOperation(method: DescMethod): Operation {
  const service = method.parent;
  const where = `${service.typeName}.${method.name}`;
  if (!isUnary(method)) throw new Error(`${where} is not unary`);
  const options = getOption(method, operationOption);
  const credential = credentials[options.credential];
  if (credential === undefined) throw new Error(`${where} declares no credential`);
  const host = hosts.find((name) => name === getOption(service, hostOption));
  if (host === undefined) throw new Error(`${service.typeName} declares no known host`);
  const sideEffects = method.idempotency !== MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  const allow = options.allow.map((rule) => readRule(rule, where));
  if (options.fromReplica && (sideEffects || !allow.every(isPermission)))
    throw new Error(`${where} may not be answered by a replica: it decides or changes something`);
  return {
    name: options.name || `${service.name}_${method.name}`,
    method,
    service,
    host,
    credential,
    allow,
    audited: options.audited,
    rate: options.rate,
    recentLogin: options.recentLogin,
    nullWhenAbsent: options.nullWhenAbsent,
    assigned: options.assigned,
    callers: options.callers,
    defaultTenant: options.defaultTenant,
    tenantOptional: options.tenantOptional,
    sessionCookie: sessionCookies[options.sessionCookie],
    linkCookie: options.linkCookie,
    stream: options.stream,
    limitedSession: limitedSessions[options.limitedSession] ?? 'refused',
    accessToken: accessTokens[options.accessToken] ?? 'accountForSelf',
    supportSession: options.supportSession,
    public: credential !== 'service' && !options.otherProtocol,
    fromReplica: options.fromReplica,
    sideEffects,
    // Each part of a stream is a separate call, which must not get the response of another part.
    takesIdempotencyKey:
      sideEffects &&
      !options.stream &&
      !options.otherProtocol &&
      credential !== 'none' &&
      credential !== 'worker' &&
      credential !== 'service',
  };
}

/** Whether a rule needs nothing but the permissions that the caller brings. */
const isPermission = ({ kind }: Rule): boolean => kind === 'tenant' || kind === 'platform';

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === 'unary';
}

function readRule({ rule }: RuleOption, where: string): Rule {
  switch (rule.case) {
    case 'self':
      return { kind: 'self', field: rule.value };
    case 'tenant':
      return { kind: 'tenant', permission: rule.value.permission, field: rule.value.field };
    case 'platform':
      return {
        kind: 'platform',
        permission: rule.value.permission,
        without: rule.value.without,
        when: rule.value.when,
      };
    case 'handler':
      return { kind: 'handler', rule: rule.value };
    case undefined:
      throw new Error(`${where} has an empty rule`);
  }
}

/** The proto path of the field that names the request's tenant; '' if the operation is not about one tenant. */
export function tenantField({ allow }: Operation): string {
  const rule = allow.find((candidate) => candidate.kind === 'tenant');
  return rule?.kind === 'tenant' ? rule.field : '';
}

/** The proto path of the flag that selects the platform instead of a tenant; '' if the operation has none. */
export function platformFlag({ allow }: Operation): string {
  const rule = allow.find((candidate) => candidate.kind === 'platform' && candidate.when !== '');
  return rule?.kind === 'platform' ? rule.when : '';
}

/** Converts a proto path of the request to its JSON path. */
export const jsonPath = ({ method }: Operation, path: string): string =>
  jsonPathIn(method.input, path);

function jsonPathIn(message: DescMessage, path: string): string {
  const [first, ...rest] = path.split('.');
  const field = message.fields.find((candidate) => candidate.name === first);
  if (field === undefined) throw new Error(`${message.typeName} has no ${path}`);
  if (rest.length === 0 || field.fieldKind !== 'message') return field.jsonName;
  return `${field.jsonName}.${jsonPathIn(field.message, rest.join('.'))}`;
}
