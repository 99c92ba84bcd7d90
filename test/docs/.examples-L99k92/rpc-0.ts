import { IdentityLimits } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import { asService, createDispatch, createLocalTransport, routes, serve } from '@bailiwick/rpc';
import { createLog } from '@bailiwick/telemetry';
import { createClient } from '@connectrpc/connect';

const transport = createLocalTransport();
transport.connect(
  createDispatch({
    routes: routes(serve(IdentityLimits, { take: async () => ({ limit: 5, remaining: 4 }) })),
    log: createLog('identity', () => {}),
    auditRefusal: async () => {},
    revoke: async () => {},
    idempotency: async (_call, work) => ({ response: await work(), replayed: false }),
    afterChange: () => {},
  }),
);

const limits = createClient(IdentityLimits, asService(transport, 'gateway'));
const { limit, remaining } = await limits.take({ rate: 'login', ip: '192.0.2.1' });
console.log(limit, remaining);
