import {
  type DescMethod,
  type DescMethodUnary,
  type DescService,
  getOption,
} from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import {
  Credential as CredentialOption,
  host as hostOption,
  operation as operationOption,
  type Rule as RuleOption,
  SessionCookie as SessionCookieOption,
} from './gen/bailiwick/options/v1/options_pb.ts';

/** The process that serves an operation. */
export type Host = 'identity' | 'access' | 'sso' | 'notifications';

/** Who has to be calling: nobody in particular, a person, a person or a bot, a bot, the delivery worker, another process. */
export type Credential = 'none' | 'session' | 'any' | 'bot' | 'worker' | 'service';

/** One way to be allowed. `field` and `without` are proto paths in the request; '' = not restricted. */
export type Rule =
  | { readonly kind: 'self'; readonly field: string }
  | { readonly kind: 'tenant'; readonly permission: string; readonly field: string }
  | { readonly kind: 'platform'; readonly permission: string; readonly without: string }
  | { readonly kind: 'handler'; readonly rule: string };

/** What the proto files say about one operation. See options.proto for what each part means. */
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
  /** What a successful answer does with the browser's session cookie. */
  readonly sessionCookie: 'set' | 'clear' | undefined;
  /** Whether the answer is one long text that is made piece by piece. */
  readonly stream: boolean;
  /** Whether the gateway routes it. */
  readonly public: boolean;
  readonly sideEffects: boolean;
};

const hosts: readonly Host[] = ['identity', 'access', 'sso', 'notifications'];

const credentials: Partial<Record<CredentialOption, Credential>> = {
  [CredentialOption.NONE]: 'none',
  [CredentialOption.SESSION]: 'session',
  [CredentialOption.ANY]: 'any',
  [CredentialOption.BOT]: 'bot',
  [CredentialOption.WORKER]: 'worker',
  [CredentialOption.SERVICE]: 'service',
};

const sessionCookies: Partial<Record<SessionCookieOption, 'set' | 'clear'>> = {
  [SessionCookieOption.SET]: 'set',
  [SessionCookieOption.CLEAR]: 'clear',
};

/** Reads an rpc's options. Throws where they are incomplete: such an rpc must not be served at all. */
export function readOperation(method: DescMethod): Operation {
  const service = method.parent;
  const where = `${service.typeName}.${method.name}`;
  if (!isUnary(method)) throw new Error(`${where} is not unary`);
  const options = getOption(method, operationOption);
  const credential = credentials[options.credential];
  if (credential === undefined) throw new Error(`${where} declares no credential`);
  const host = hosts.find((known) => known === getOption(service, hostOption));
  if (host === undefined) throw new Error(`${service.typeName} declares no known host`);
  return {
    name: options.name || `${service.name}_${method.name}`,
    method,
    service,
    host,
    credential,
    allow: options.allow.map((rule) => readRule(rule, where)),
    audited: options.audited,
    rate: options.rate,
    recentLogin: options.recentLogin,
    nullWhenAbsent: options.nullWhenAbsent,
    assigned: options.assigned,
    callers: options.callers,
    defaultTenant: options.defaultTenant,
    sessionCookie: sessionCookies[options.sessionCookie],
    stream: options.stream,
    public: credential !== 'service',
    sideEffects: method.idempotency !== MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS,
  };
}

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
      return { kind: 'platform', permission: rule.value.permission, without: rule.value.without };
    case 'handler':
      return { kind: 'handler', rule: rule.value };
    case undefined:
      throw new Error(`${where} has an empty rule`);
  }
}
