import { NumberInput } from '@mantine/core';
import { useTexts } from '../parts/texts.tsx';
import { type FullTenant, TenantForm } from './tenant-form.tsx';

const fieldsOf = ({ Settings }: FullTenant) => ({
  keys: Settings.MaxBotKeyDays as number | string,
  audit: Settings.AuditRetentionDays as number | string,
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
        Settings: { MaxBotKeyDays: Number(keys), AuditRetentionDays: Number(audit) },
      })}
      labels={labels}
    >
      {(form) => (
        <>
          <NumberInput
            {...form.getInputProps('keys')}
            label={labels.keys}
            description={t('settings.keysAbout')}
            min={0}
            max={365}
            allowDecimal={false}
          />
          <NumberInput
            {...form.getInputProps('audit')}
            label={labels.audit}
            description={t('settings.auditAbout')}
            min={0}
            max={3650}
            allowDecimal={false}
          />
        </>
      )}
    </TenantForm>
  );
}
