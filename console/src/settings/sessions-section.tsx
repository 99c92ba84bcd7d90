import { Card } from '../parts/card.tsx';
import { useTexts } from '../parts/texts.tsx';
import { DurationField } from './duration-field.tsx';
import { minutes } from './durations.ts';
import type { SectionProps } from './fields.ts';

/** How long sessions last in a tenant. */
export function SessionsSection({ form, labels }: SectionProps) {
  const { t } = useTexts();
  return (
    <Card title={t('settings.sessions')} description={t('settings.sessionsAbout')}>
      <DurationField
        {...form.getInputProps('idle')}
        label={labels.idle}
        description={t('settings.idleAbout')}
        units={minutes}
        preset={10_080}
        max={10_080}
      />
      <DurationField
        {...form.getInputProps('longest')}
        label={labels.longest}
        description={t('settings.longestAbout')}
        units={minutes}
        preset={43_200}
        max={43_200}
      />
    </Card>
  );
}
