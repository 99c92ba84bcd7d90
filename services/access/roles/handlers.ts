import type { Roles } from '@bailiwick/proto/gen/bailiwick/access/v1/roles_pb.ts';
import type { Handlers } from '@bailiwick/shared/dispatch.ts';
import { unimplemented } from '@bailiwick/shared/errors.ts';

export const roleHandlers: Handlers<typeof Roles> = {
  save: unimplemented,
  get: unimplemented,
  delete: unimplemented,
  list: unimplemented,
  listByTenant: unimplemented,
};
