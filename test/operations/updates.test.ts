import { testUpdates } from './updates.ts';

// over-grpc.long.test.ts runs it with gRPC between the processes.
testUpdates('five processes');
testUpdates('one process');
