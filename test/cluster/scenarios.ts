import { tryEdge } from './scenarios/edge.ts';
import { tryEvaluation } from './scenarios/evaluation.ts';
import { tryMonitoring } from './scenarios/monitoring.ts';
import { tryProduction } from './scenarios/production.ts';
import { tryScaling } from './scenarios/scaling.ts';
import { trySingle } from './scenarios/single.ts';
import { tryStores } from './scenarios/stores.ts';
import { tryUpgrade } from './scenarios/upgrade.ts';
import type { Cluster } from './tools.ts';

// Everything that npm run test:cluster can prove, each in a namespace of its own.

export type Images = { current: string; previous: string | undefined; deno: string | undefined };
/** A scenario is not tested where a program or an image for it is missing; it says which. */
export type Outcome = 'passed' | 'not tested';
export type Lab = {
  cluster: Cluster;
  images: Images;
  /** A cluster handle for another namespace, which is created now and removed with the first. */
  beside(name: string): Promise<Cluster>;
  say(line: string): void;
};

export const scenarios: Readonly<Record<string, (lab: Lab) => Promise<Outcome>>> = {
  evaluation: tryEvaluation,
  stores: tryStores,
  upgrade: tryUpgrade,
  production: tryProduction,
  single: trySingle,
  monitoring: tryMonitoring,
  scaling: tryScaling,
  edge: tryEdge,
};
