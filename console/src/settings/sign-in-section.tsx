import { Alert, NativeSelect, Switch } from '@mantine/core';
import { Card } from '../parts/card.tsx';
import { Icon } from '../parts/icon.tsx';
import { useTexts } from '../parts/texts.tsx';
import { DurationField } from './duration-field.tsx';
import { days } from './durations.ts';
import { type Fields, fieldsOf, type SectionProps } from './fields.ts';

const strictness = ['off', 'any', 'phishing_resistant'];

/** Whether the change may take rights from members at once or after the grace period. */
function isStricter(now: Fields, stored: Fields): boolean {
  const isFactorStricter = strictness.indexOf(now.factor) > strictness.indexOf(stored.factor);
  const isNew = (name: 'onlyAccount' | 'requireSso') => now[name] && !stored[name];
  return isFactorStricter || isNew('onlyAccount') || isNew('requireSso');
}

/** How members have to sign in. */
export function SignInSection({ tenant, form, labels }: SectionProps) {
  const { t } = useTexts();
  return (
    <Card title={t('settings.signIn')} description={t('settings.signInAbout')}>
      <SignInFields form={form} labels={labels} />
      {isStricter(form.values, fieldsOf(tenant)) && (
        <Alert color="orange" icon={<Icon name="warning" />} title={t('settings.lockOut')}>
          {t('settings.lockOutAbout')}
        </Alert>
      )}
    </Card>
  );
}

function SignInFields({ form, labels }: Omit<SectionProps, 'tenant'>) {
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
