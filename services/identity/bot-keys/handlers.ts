import { notFound } from '@bailiwick/errors';
import type { Handlers } from '@bailiwick/pipeline';
import type { BotKeys } from '@bailiwick/proto/gen/bailiwick/identity/v1/bot_keys_pb.ts';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { makerOf } from '../bots/maker.ts';
import { findBot } from '../bots/queries.ts';
import { rowOf } from '../rows.ts';
import type { BotKeyDeps } from './deps.ts';
import { botKeyRecord } from './entities.ts';
import { setExpiration } from './expiration.ts';
import { expiryOf } from './expiry.ts';
import { assertMayIssue, issueKey, lockBot } from './issue.ts';
import { findBotKey, listBotKeys } from './queries.ts';
import { recordKey } from './records.ts';
import { rotateKey } from './rotate.ts';

export function botKeysHandlers(deps: BotKeyDeps): Handlers<typeof BotKeys> {
  const { database, authority, pager } = deps;

  return {
    async create({ tenant, bot, name, expiresAt: requestedEnd, permissions, allowedIps }, call) {
      const { maxDays } = await authority.botKeyLimits({ tenant }, call, { signal: call.signal });
      const now = new Date();
      const expiresAt = expiryOf(requestedEnd && timestampDate(requestedEnd), maxDays, now);
      if (!(await findBot(database, tenant, bot))) throw notFound('bot');
      const rights = { tenant, bot, permissions };
      const { latestEnd, tasks } = await assertMayIssue(deps, call, rights, expiresAt);
      const newKey = {
        tenant,
        bot,
        name,
        permissions,
        allowedIps,
        expiresAt,
        latestEnd,
        rotatedFrom: '',
        createdBy: call.caller.id,
        maker: makerOf(call.caller),
      };
      const { key, secret } = await database.transaction(
        { call, tenant, row: rowOf.keys(bot) },
        async (tx) => {
          await lockBot(tx, bot);
          const issued = await issueKey(tx, newKey, now);
          recordKey(tx, 'bot_key.created', issued.key, { tasks });
          return issued;
        },
      );
      return { key: botKeyRecord(key), secret };
    },

    async get({ tenant, id }) {
      const key = await findBotKey(database, tenant, id);
      if (!key) throw notFound('bot key');
      return { key: botKeyRecord(key) };
    },

    async list({ tenant, bot, page }, { operation }) {
      if (!(await findBot(database, tenant, bot))) throw notFound('bot');
      const binding = [operation.name, tenant, bot];
      return pager.list(
        page,
        binding,
        (query) => listBotKeys(database, tenant, bot, query),
        botKeyRecord,
      );
    },

    async setExpiration(request, call) {
      return { key: botKeyRecord(await setExpiration(deps, request, call)) };
    },

    async rotate(request, call) {
      const { key, secret } = await rotateKey(deps, request, call);
      return { key: botKeyRecord(key), secret };
    },
  };
}
