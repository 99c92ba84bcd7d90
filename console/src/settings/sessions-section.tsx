import { NumberInput } from '@mantine/core';
import { useTexts } from '../parts/texts.tsx';
import { type FullTenant, TenantForm } from './tenant-form.tsx';

const fieldsOf = ({ Settings }: FullTenant) => ({
  idle: Settings.SessionIdleMinutes as number | string,
  longest: Settings.SessionMaxMinutes as number | string,
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
        Settings: { SessionIdleMinutes: Number(idle), SessionMaxMinutes: Number(longest) },
      })}
      labels={labels}
    >
      {(form) => (
        <>
          <NumberInput
            {...form.getInputProps('idle')}
            label={labels.idle}
            description={t('settings.idleAbout')}
            min={0}
            max={10_080}
            allowDecimal={false}
          />
          <NumberInput
            {...form.getInputProps('longest')}
            label={labels.longest}
            description={t('settings.longestAbout')}
            min={0}
            max={43_200}
            allowDecimal={false}
          />
        </>
      )}
    </TenantForm>
  );
}
