import { Card } from '../parts/card.tsx';
import { useTexts } from '../parts/texts.tsx';
import { DurationField } from './duration-field.tsx';
import { days } from './durations.ts';
import type { SectionProps } from './fields.ts';

/** How long keys of bots and entries of the audit live. */
export function LimitsSection({ form, labels }: SectionProps) {
  const { t } = useTexts();
  return (
    <Card title={t('settings.limits')} description={t('settings.limitsAbout')}>
      <DurationField
        {...form.getInputProps('keys')}
        label={labels.keys}
        description={t('settings.keysAbout')}
        units={days}
        preset={365}
        max={365}
      />
      <DurationField
        {...form.getInputProps('audit')}
        label={labels.audit}
        description={t('settings.auditAbout')}
        units={days}
        preset={400}
        max={3650}
      />
    </Card>
  );
}
