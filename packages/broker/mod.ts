export { type Broker, type BrokerMessage, isTooLarge, openBroker } from './broker.ts';
export { BrokerProblem, type Owner } from './owner.ts';
export type { BrokerStorage } from './storage.ts';
export type { StreamName, StreamState } from './streams.ts';
