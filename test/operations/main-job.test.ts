import { testMainJob } from './main-job.ts';

// over-grpc.long.test.ts runs it with gRPC between the processes.
testMainJob('five processes');
testMainJob('one process');
