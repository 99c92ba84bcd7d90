import type { States } from './state.tsx';

export const memberStates: States = {
  active: { text: 'people.active', color: 'teal.9' },
  pending: { text: 'people.notAccepted', color: 'accent.7' },
  disabled: { text: 'people.disabled', color: 'gray.7' },
};
