import { testTraces } from './traces.ts';

testTraces('five processes over gRPC');
