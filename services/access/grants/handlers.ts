import type { BotGrants, Grants, GroupGrants } from '@bailiwick/proto/gen/bailiwick/access/v1/grants_pb.ts';
import type { Handlers } from '@bailiwick/shared/dispatch.ts';
import { unimplemented } from '@bailiwick/shared/errors.ts';

export const grantHandlers: Handlers<typeof Grants> = { add: unimplemented, remove: unimplemented, list: unimplemented, listByTenant: unimplemented };
export const groupGrantHandlers: Handlers<typeof GroupGrants> = { add: unimplemented, remove: unimplemented, listByTenant: unimplemented };
export const botGrantHandlers: Handlers<typeof BotGrants> = { add: unimplemented, remove: unimplemented, listByTenant: unimplemented };
