import { Buffer } from 'node:buffer';
import type { Limit } from '@bailiwick/contract';
import type { Handlers } from '@bailiwick/pipeline';
import type {
  IssuerHandleRequest,
  Issuer as IssuerService,
} from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import type { Limiter } from '@bailiwick/store';
import { inject } from 'light-my-request';
import type { default as Provider } from 'oidc-provider';
import { logoHandler } from '../apps/logo.ts';
import type { AccessToken, createAppConfirmation } from './access-tokens.ts';
import type { createClientConfirmation } from './client-confirmation.ts';
import type { RequestState } from './context.ts';
import { createCounter, tooManyCalls } from './counter.ts';
import { describeSignIn } from './interactions.ts';
import type { People } from './people.ts';
import type { IssuerRequest } from './request.ts';

type Deps = Parameters<typeof logoHandler>[0] & {
  provider: () => Promise<Provider>;
  verifyToken: (token: string) => Promise<AccessToken>;
  confirmApp: ReturnType<typeof createAppConfirmation>;
  confirmClient: ReturnType<typeof createClientConfirmation>;
  people: People;
  publicUrl: string;
  limiter: Limiter;
  /** The limits per IP address. */
  limits: Readonly<Record<string, Limit>>;
};

/** Hands each request to oidc-provider, without a socket. */
export function issuerHandlers(deps: Deps): Handlers<typeof IssuerService> {
  const { people } = deps;
  const counter = createCounter(deps);
  return {
    ...logoHandler(deps),

    verifyToken: ({ token }) => deps.verifyToken(token),
    confirmApp: async (token) => ({ scopes: await deps.confirmApp(token) }),
    confirmClient: async (token, call) => ({ scopes: await deps.confirmClient(token, call) }),

    async describeSignIn({ interaction, ip }, call) {
      await counter.beforeLook(ip);
      return describeSignIn(await deps.provider(), deps.admission, interaction, call);
    },

    async handle(request, call) {
      const { ip, sessionHash } = request;
      const wait = await counter.before(request);
      if (wait > 0) return tooManyCalls(wait);
      const person =
        sessionHash.length > 0 ? await people.ofToken(sessionHash, ip, call) : undefined;
      const userAgent = request.headers.find(({ name }) => name === 'user-agent')?.value ?? '';
      const { response, reply } = await answerOf(deps, request, {
        ip,
        requestId: call.caller.requestId,
        userAgent,
        person,
      });
      if (reply.kind === 'refusal') throw reply.error;
      await counter.after(request, response.statusCode);
      const { kind: _kind, ...page } = reply;
      return {
        status: response.statusCode,
        headers: headersOf(response.headers),
        body: response.rawPayload,
        ...page,
      };
    },
  };
}

async function answerOf(
  { provider, publicUrl }: Deps,
  request: IssuerHandleRequest,
  issuerRequest: IssuerRequest,
) {
  const state: RequestState = {
    request: issuerRequest,
    reply: { kind: 'response' },
    records: new Map(),
  };
  const { method, path, headers, body, ip } = request;
  const { host, protocol, pathname } = new URL(publicUrl);
  const prefix = pathname.replace(/\/+$/, '');
  const answer = (await provider()).callback();
  const response = await inject(
    (incoming, outgoing) => {
      // The address that the browser opened: the library's addresses begin with its prefix.
      Object.assign(incoming, { originalUrl: `${prefix}${path}`, issuer: state });
      void answer(incoming, outgoing);
    },
    {
      method: method as 'GET' | 'HEAD' | 'POST' | 'OPTIONS',
      url: path,
      headers: {
        ...Object.fromEntries(headers.map(({ name, value }) => [name, value])),
        host,
        'x-forwarded-proto': protocol.slice(0, -1),
        'x-forwarded-for': ip,
      },
      ...(method === 'POST' && { payload: asTyped(path, body) }),
    },
  );
  return { response, reply: state.reply };
}

/** The library reads a device's code without the wide letters of Chinese and Japanese keyboards. */
function asTyped(path: string, body: Uint8Array): Buffer {
  const form = Buffer.from(body);
  if (!/^\/device(?:$|\?)/.test(path)) return form;
  const fields = new URLSearchParams(form.toString());
  const code = fields.get('user_code');
  if (code !== null) fields.set('user_code', code.normalize('NFKC'));
  return Buffer.from(fields.toString());
}

/** Headers that belong to the connection of the client, and not to the answer. */
const ofConnection = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'transfer-encoding',
]);

const headersOf = (headers: Readonly<Record<string, number | string | string[] | undefined>>) =>
  Object.entries(headers)
    .filter(([name]) => !ofConnection.has(name))
    .flatMap(([name, value]) =>
      [value ?? []].flat().map((each) => ({ name, value: String(each) })),
    );
