export { createConfirm, type RightsSources } from './confirm.ts';
export { forgetEverywhere } from './keys-forgetting.ts';
export { maintainDataKeys, recordReplaced } from './keys-upkeep.ts';
export { followPurges, purgeBatch, tablesOfTenants, tenantPurged } from './purge.ts';
export { createRefusals, type Refusals } from './refusals.ts';
export { repeat } from './repeat.ts';
export {
  type Background,
  createService,
  listenService,
  type Service,
  type ServiceOptions,
} from './service.ts';
