import type { BotKeys } from '@bailiwick/proto/gen/bailiwick/identity/v1/bot_keys_pb.ts';
import type { Bots } from '@bailiwick/proto/gen/bailiwick/identity/v1/bots_pb.ts';
import type { Handlers } from '@bailiwick/shared/dispatch.ts';
import { unimplemented } from '@bailiwick/shared/errors.ts';

export const botsHandlers: Handlers<typeof Bots> = { save: unimplemented, get: unimplemented, list: unimplemented, delete: unimplemented };

export const botKeysHandlers: Handlers<typeof BotKeys> = { create: unimplemented, get: unimplemented, list: unimplemented, setExpiration: unimplemented };
