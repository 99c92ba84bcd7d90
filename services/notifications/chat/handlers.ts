import type { Chat } from '@bailiwick/proto/gen/bailiwick/notifications/v1/chat_pb.ts';
import type { Handlers } from '@bailiwick/shared/dispatch.ts';
import { unimplemented } from '@bailiwick/shared/errors.ts';

export const chatHandlers: Handlers<typeof Chat> = {
  createEndpoint: unimplemented,
  updateEndpoint: unimplemented,
  getEndpoint: unimplemented,
  listEndpoints: unimplemented,
  deleteEndpoint: unimplemented,
  deliver: unimplemented,
};
