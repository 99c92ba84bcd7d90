import type { Domain } from '@bailiwick/proto/gen/bailiwick/sso/v1/domain_pb.ts';
import type { Handlers } from '@bailiwick/shared/dispatch.ts';
import { unimplemented } from '@bailiwick/shared/errors.ts';

export const domainHandlers: Handlers<typeof Domain> = {
  create: unimplemented,
  verify: unimplemented,
  get: unimplemented,
  list: unimplemented,
  delete: unimplemented,
};
