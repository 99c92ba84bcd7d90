import { useTexts } from '../parts/texts.tsx';
import { DurationField } from './duration-field.tsx';
import { minutes } from './durations.ts';
import { type FullTenant, TenantForm } from './tenant-form.tsx';

const fieldsOf = ({ Settings }: FullTenant) => ({
  idle: Settings.SessionIdleMinutes,
  longest: Settings.SessionMaxMinutes,
});

/** How long sessions last in a tenant. */
export function SessionsSection({ tenant }: { tenant: FullTenant }) {
  const { t } = useTexts();
  const labels = { idle: t('settings.idle'), longest: t('settings.longest') };
  return (
    <TenantForm
      tenant={tenant}
      title={t('settings.sessions')}
      description={t('settings.sessionsAbout')}
      fieldsOf={fieldsOf}
      toChange={({ idle, longest }) => ({
        Settings: { SessionIdleMinutes: idle, SessionMaxMinutes: longest },
      })}
      labels={labels}
    >
      {(form) => (
        <>
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
        </>
      )}
    </TenantForm>
  );
}
