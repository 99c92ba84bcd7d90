import { State } from '../parts/state.tsx';
import type { TextKey } from '../parts/text-keys.ts';
import { useTexts } from '../parts/texts.tsx';
import type { KeyState } from './key-state.ts';

const states: Readonly<Record<KeyState | 'disabled', { text: TextKey; color: string }>> = {
  active: { text: 'bots.active', color: 'teal.9' },
  disabled: { text: 'bots.disabled', color: 'gray.7' },
  ending: { text: 'bots.ending', color: 'orange.9' },
  expired: { text: 'bots.expired', color: 'gray.7' },
  revoked: { text: 'bots.revoked', color: 'gray.7' },
};

export function StateBadge({ state }: { state: KeyState | 'disabled' }) {
  const { t } = useTexts();
  const { text, color } = states[state];
  return <State color={color}>{t(text)}</State>;
}
