import type { States } from '../parts/state.tsx';

export const userStates: States = {
  active: { text: 'platform.active', color: 'teal.9' },
  disabled: { text: 'platform.disabled', color: 'gray.7' },
};
