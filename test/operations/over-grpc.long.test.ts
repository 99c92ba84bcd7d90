import { testCredentials } from './identity/credentials.ts';
import { testMainJob } from './main-job.ts';
import { testUpdates } from './updates.ts';

// The suites with all kinds of calls between services, with gRPC for these calls.
testMainJob('five processes over gRPC');
testCredentials('five processes over gRPC');
testUpdates('five processes over gRPC');
