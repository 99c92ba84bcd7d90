import { useTexts } from '../parts/texts.tsx';
import { DurationField } from './duration-field.tsx';
import { days } from './durations.ts';
import { type FullTenant, TenantForm } from './tenant-form.tsx';

const fieldsOf = ({ Settings }: FullTenant) => ({
  keys: Settings.MaxBotKeyDays,
  audit: Settings.AuditRetentionDays,
});

/** How long keys of bots and entries of the audit live. */
export function LimitsSection({ tenant }: { tenant: FullTenant }) {
  const { t } = useTexts();
  const labels = { keys: t('settings.keys'), audit: t('settings.audit') };
  return (
    <TenantForm
      tenant={tenant}
      title={t('settings.limits')}
      description={t('settings.limitsAbout')}
      fieldsOf={fieldsOf}
      toChange={({ keys, audit }) => ({
        Settings: { MaxBotKeyDays: keys, AuditRetentionDays: audit },
      })}
      labels={labels}
    >
      {(form) => (
        <>
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
        </>
      )}
    </TenantForm>
  );
}
