import { Alert, NativeSelect, Switch } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { Icon } from '../parts/icon.tsx';
import { useTexts } from '../parts/texts.tsx';
import { DurationField } from './duration-field.tsx';
import { days } from './durations.ts';
import { type FullTenant, TenantForm } from './tenant-form.tsx';

const fieldsOf = ({ Settings }: FullTenant) => ({
  // An empty list allows all ways, and so does the full one.
  onlyAccount: Settings.AllowedMethods.length === 1,
  requireSso: Settings.RequireSso,
  factor: Settings.RequireFactor || 'off',
  grace: Settings.FactorGraceDays,
  recentLogin: Settings.RecentLogin,
});

type Fields = ReturnType<typeof fieldsOf>;

const strictness = ['off', 'any', 'phishing_resistant'];

/** Whether the change may take rights from members at once or after the grace period. */
function isStricter(now: Fields, stored: Fields): boolean {
  const isFactorStricter = strictness.indexOf(now.factor) > strictness.indexOf(stored.factor);
  const isNew = (name: 'onlyAccount' | 'requireSso') => now[name] && !stored[name];
  return isFactorStricter || isNew('onlyAccount') || isNew('requireSso');
}

/** How members have to sign in. */
export function SignInSection({ tenant }: { tenant: FullTenant }) {
  const { t } = useTexts();
  const labels = {
    onlyAccount: t('settings.onlyAccount'),
    requireSso: t('settings.requireSso'),
    factor: t('settings.factor'),
    grace: t('settings.grace'),
    recentLogin: t('settings.recentLogin'),
  };
  return (
    <TenantForm
      tenant={tenant}
      title={t('settings.signIn')}
      description={t('settings.signInAbout')}
      fieldsOf={fieldsOf}
      toChange={(fields, base) => ({
        Settings: {
          // The stored list stays unless the choice has changed: both full and empty mean all.
          ...(fields.onlyAccount !== fieldsOf(base).onlyAccount && {
            AllowedMethods: fields.onlyAccount ? ['account'] : [],
          }),
          RequireSso: fields.requireSso,
          RequireFactor: fields.factor,
          FactorGraceDays: fields.grace,
          RecentLogin: fields.recentLogin,
        },
      })}
      labels={labels}
    >
      {(form) => (
        <>
          <SignInFields form={form} labels={labels} />
          {isStricter(form.values, fieldsOf(tenant)) && (
            <Alert color="orange" icon={<Icon name="warning" />} title={t('settings.lockOut')}>
              {t('settings.lockOutAbout')}
            </Alert>
          )}
        </>
      )}
    </TenantForm>
  );
}

type FieldsProps = { form: UseFormReturnType<Fields>; labels: Record<keyof Fields, string> };

function SignInFields({ form, labels }: FieldsProps) {
  const { t } = useTexts();
  return (
    <>
      <Switch
        {...form.getInputProps('onlyAccount', { type: 'checkbox' })}
        label={labels.onlyAccount}
        description={t('settings.onlyAccountAbout')}
      />
      <Switch
        {...form.getInputProps('requireSso', { type: 'checkbox' })}
        label={labels.requireSso}
        description={t('settings.requireSsoAbout')}
      />
      <NativeSelect
        {...form.getInputProps('factor')}
        label={labels.factor}
        description={t('settings.factorAbout')}
        data={[
          { value: 'off', label: t('settings.factorOff') },
          { value: 'any', label: t('settings.factorAny') },
          { value: 'phishing_resistant', label: t('settings.factorPasskey') },
        ]}
      />
      <DurationField
        {...form.getInputProps('grace')}
        label={labels.grace}
        description={t('settings.graceAbout')}
        units={days}
        max={90}
      />
      <Switch
        {...form.getInputProps('recentLogin', { type: 'checkbox' })}
        label={labels.recentLogin}
        description={t('settings.recentLoginAbout')}
      />
    </>
  );
}
