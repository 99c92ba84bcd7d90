import type { TenantInvitations } from '@bailiwick/proto/gen/bailiwick/access/v1/invitations_pb.ts';
import type { Handlers } from '@bailiwick/shared/dispatch.ts';
import { unimplemented } from '@bailiwick/shared/errors.ts';

export const invitationHandlers: Handlers<typeof TenantInvitations> = {
  create: unimplemented,
  accept: unimplemented,
  decline: unimplemented,
  list: unimplemented,
  listByEmail: unimplemented,
  delete: unimplemented,
};
