import { testCredentials } from './credentials.ts';

// over-grpc.long.test.ts runs it with gRPC between the processes.
testCredentials('five processes');
