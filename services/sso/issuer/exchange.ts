import type Provider from 'oidc-provider';
import { errors } from 'oidc-provider';
import { proveBot } from './bot-proof.ts';
import { botResource, exchangeGrant } from './bots.ts';
import { setBot, stateOf } from './context.ts';
import type { IssuerDeps } from './deps.ts';
import { readSubject } from './subject-token.ts';

// The exchange of another issuer's token for a token of a bot (RFC 8693).

const typeOf = (name: string) => `urn:ietf:params:oauth:token-type:${name}`;
const accessToken = typeOf('access_token');
const accepted = [typeOf('jwt'), typeOf('id_token')];

type ExchangeParameters = Partial<Record<(typeof parameters)[number], string>>;
const parameters = [
  'subject_token',
  'subject_token_type',
  'requested_token_type',
  'actor_token',
  'actor_token_type',
  'audience',
  'resource',
  'scope',
] as const;

/** Makes a provider exchange the tokens of keyless bots. */
export function exchangeTokens(
  provider: Provider,
  { bots, proof, publicUrl }: Pick<IssuerDeps, 'bots' | 'proof' | 'publicUrl'>,
): void {
  provider.registerGrantType<ExchangeParameters>(
    exchangeGrant,
    async (ctx) => {
      const { client, params } = ctx.oidc;
      const { request } = stateOf(ctx);
      const token = subjectIn(params);
      for (const target of [params.resource, params.audience])
        if (target !== undefined && target !== publicUrl)
          throw new errors.InvalidTarget(`the tokens of bots are for ${publicUrl} only`);
      await bots.count(ctx, client.clientId);
      const subject = readSubject(token);
      // A bot that trusts its own tokens could renew a stolen one forever.
      if (subject.iss === publicUrl)
        throw new errors.InvalidRequest('subject_token must be of another issuer');
      const presented = { token, claims: subject, request };
      const { bot, trust } = await proveBot(proof, client.clientId, presented);
      setBot(ctx.oidc, bot);
      const server = botResource(ctx, publicUrl, publicUrl);
      const issued = new provider.ClientCredentials({
        client,
        scope: server.scope,
        resourceServer: new provider.ResourceServer(publicUrl, server),
      });
      const jwt = await issued.save();
      await proof.audit.issued(bot, trust, request);
      ctx.body = {
        access_token: jwt,
        issued_token_type: accessToken,
        token_type: 'Bearer',
        expires_in: issued.expiration,
        scope: server.scope,
      };
    },
    parameters,
  );
}

function subjectIn(input: ExchangeParameters): string {
  const {
    subject_token: token,
    subject_token_type: type,
    requested_token_type: requestedType,
  } = input;
  if (!token || !type || !accepted.includes(type))
    throw new errors.InvalidRequest(
      `subject_token is required, with the subject_token_type ${accepted.join(' or ')}`,
    );
  if (requestedType !== undefined && requestedType !== accessToken)
    throw new errors.InvalidRequest(`requested_token_type must be ${accessToken}`);
  if (input.actor_token !== undefined || input.actor_token_type !== undefined)
    throw new errors.InvalidRequest('actor_token is not supported');
  return token.trim();
}
