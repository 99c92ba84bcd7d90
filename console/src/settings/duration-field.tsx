import { Group, NativeSelect, NumberInput } from '@mantine/core';
import { useState } from 'react';
import type { TextKey } from '../parts/text-keys.ts';
import { useTexts } from '../parts/texts.tsx';
import { amountOf } from '../parts/times.ts';
import { type Unit, unitOf } from './durations.ts';

const unitTexts: Readonly<Record<Unit, TextKey>> = {
  minute: 'settings.minutes',
  hour: 'settings.hours',
  day: 'settings.days',
};

type Props = {
  label: string;
  description: string;
  /** The stored number of the smallest unit. 0 is the default, and an empty field. */
  value?: number;
  onChange: (value: number) => void;
  error?: string;
  /** The name of the field in its form. */
  'data-path'?: string;
  /** The sizes of the units in the smallest of them. */
  units: Readonly<Partial<Record<Unit, number>>>;
  /** The default in the smallest unit. Without it, an empty field means "at once". */
  preset?: number;
  max: number;
};

/** A length of time in a unit of the user's choice, with the default in place of an empty field. */
export function DurationField(props: Props) {
  const { label, description, value = 0, onChange, error, units, preset, max } = props;
  const { t, locale } = useTexts();
  const [unit, setUnit] = useState<Unit>(() => unitOf(value || (preset ?? 0), units));
  const size = units[unit] ?? 1;
  const shownPreset = () => {
    const presetUnit = unitOf(preset ?? 0, units);
    const amount = amountOf((preset ?? 0) / (units[presetUnit] ?? 1), presetUnit, locale);
    return t('settings.default', { value: amount });
  };
  return (
    <Group align="end" gap="xs" wrap="nowrap">
      <NumberInput
        flex={1}
        label={label}
        description={description}
        error={error}
        data-path={props['data-path']}
        value={value === 0 ? '' : value / size}
        placeholder={preset === undefined ? t('settings.atOnce') : shownPreset()}
        onChange={(amount) => onChange(amount === '' ? 0 : Math.round(Number(amount) * size))}
        min={0}
        max={max / size}
        allowDecimal={false}
      />
      <NativeSelect
        aria-label={t('settings.unitOf', { field: label })}
        value={unit}
        data={(Object.keys(units) as Unit[]).map((one) => ({
          value: one,
          label: t(unitTexts[one]),
        }))}
        onChange={(event) => {
          const next = event.currentTarget.value as Unit;
          setUnit(next);
          onChange(Math.min(max, (value / size) * (units[next] ?? 1)));
        }}
      />
    </Group>
  );
}
