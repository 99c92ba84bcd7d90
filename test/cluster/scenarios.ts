import { tryEdge } from './scenarios/edge.ts';
import { tryEvaluation } from './scenarios/evaluation.ts';
import type { Lab, Outcome } from './scenarios/lab.ts';
import { tryMonitoring } from './scenarios/monitoring.ts';
import { tryProduction } from './scenarios/production.ts';
import { tryScaling } from './scenarios/scaling.ts';
import { trySingle } from './scenarios/single.ts';
import { tryStores } from './scenarios/stores.ts';
import { tryUpgrade } from './scenarios/upgrade.ts';

// Everything that npm run test:cluster can prove, each in a namespace of its own.

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
