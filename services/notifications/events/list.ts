import type { Handlers } from '@bailiwick/pipeline';
import type { Webhooks } from '@bailiwick/proto/gen/bailiwick/notifications/v1/webhooks_pb.ts';
import generated from './gen/event-types.json' with { type: 'json' };

// deploy/docs/events.ts generates it from the catalogue and the interface description. It is the
// same for every caller.
const eventTypes = generated.map(({ Type, Description, Schema, Example }) => ({
  type: Type,
  description: Description,
  schema: JSON.stringify(Schema),
  example: JSON.stringify(Example),
}));

export const listEventTypesHandler: Pick<Handlers<typeof Webhooks>, 'listEventTypes'> = {
  listEventTypes: () => Promise.resolve({ eventTypes }),
};
