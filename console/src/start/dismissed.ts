import { useState } from 'react';
import { useTenant } from '../shell/routes.tsx';
import { useAccount } from '../shell/session.tsx';

// The steps that a person has put away in a tenant. The browser keeps them: they say nothing about
// the tenant, and another browser shows them again.

const read = (key: string): readonly string[] => {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(stored) ? stored.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
};

/** A browser may forbid the storage; then they stay away until the view is left. */
function write(key: string, steps: readonly string[]): void {
  try {
    localStorage.setItem(key, JSON.stringify(steps));
  } catch {
    return;
  }
}

export function useDismissed() {
  const { ID } = useTenant();
  const { User } = useAccount();
  const key = `bailiwick_steps_${User.ID}_${ID}`;
  const [steps, setSteps] = useState(() => read(key));
  const change = (next: readonly string[]) => {
    write(key, next);
    setSteps(next);
  };
  return {
    isDismissed: (step: string) => steps.includes(step),
    dismiss: (step: string) => change([...steps, step]),
    restore: () => change([]),
  };
}
