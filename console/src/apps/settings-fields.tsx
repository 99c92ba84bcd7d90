import { NativeSelect, NumberInput, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { Labels } from '../parts/labels.tsx';
import { useTexts } from '../parts/texts.tsx';
import { RedirectsField, ScopesField } from './fields.tsx';
import { hasRedirects, type Kind, keepsSecret } from './kinds.ts';

export type Fields = {
  name: string;
  isActive: boolean;
  redirects: string[];
  signedOut: string[];
  backchannel: string;
  scopes: string[];
  resources: string[];
  lifetime: number | string;
  reuse: number | string;
  asksConsent: boolean;
  needsPar: boolean;
  hasDpop: boolean;
  method: string;
  jwks: string;
};

export type Labels = Readonly<Record<keyof Fields, string>>;

export function useLabels(): Labels {
  const { t } = useTexts();
  return {
    name: t('apps.name'),
    isActive: t('apps.isActive'),
    redirects: t('apps.redirects'),
    signedOut: t('apps.signedOut'),
    backchannel: t('apps.backchannel'),
    scopes: t('apps.scopes'),
    resources: t('apps.resources'),
    lifetime: t('apps.lifetime'),
    reuse: t('apps.reuse'),
    asksConsent: t('apps.asksConsent'),
    needsPar: t('apps.needsPar'),
    hasDpop: t('apps.hasDpop'),
    method: t('apps.method'),
    jwks: t('apps.jwks'),
  };
}

type Props = { kind: Kind; form: UseFormReturnType<Fields>; labels: Labels };

/** The fields that an app of this kind has. */
export function SettingsFields(props: Props) {
  const { kind, form, labels } = props;
  const { t } = useTexts();
  return (
    <>
      <TextInput {...form.getInputProps('name')} label={labels.name} maxLength={128} />
      <Switch
        {...form.getInputProps('isActive', { type: 'checkbox' })}
        label={labels.isActive}
        description={t('apps.isActiveAbout')}
      />
      {hasRedirects(kind) && <Addresses {...props} />}
      <ScopesField kind={kind} {...form.getInputProps('scopes')} />
      <TagsInput
        {...form.getInputProps('resources')}
        label={labels.resources}
        description={t('apps.resourcesAbout')}
        splitChars={[' ', ',']}
        acceptValueOnBlur
      />
      <NumberInput
        {...form.getInputProps('lifetime')}
        label={labels.lifetime}
        description={t('apps.lifetimeAbout')}
        min={60}
        max={3600}
        allowDecimal={false}
      />
      {kind !== 'service' && (
        <NumberInput
          {...form.getInputProps('reuse')}
          label={labels.reuse}
          description={t('apps.reuseAbout')}
          min={0}
          max={60}
          allowDecimal={false}
        />
      )}
      {hasRedirects(kind) && <Requests {...props} />}
      <Switch
        {...form.getInputProps('hasDpop', { type: 'checkbox' })}
        label={labels.hasDpop}
        description={t('apps.hasDpopAbout')}
      />
      {keepsSecret(kind) && <Authentication {...props} />}
    </>
  );
}

function Addresses({ kind, form, labels }: Props) {
  const { t } = useTexts();
  return (
    <>
      <RedirectsField kind={kind} {...form.getInputProps('redirects')} />
      <TagsInput
        {...form.getInputProps('signedOut')}
        label={labels.signedOut}
        description={t('apps.signedOutAbout')}
        splitChars={[' ', ',']}
        acceptValueOnBlur
      />
      <TextInput
        {...form.getInputProps('backchannel')}
        label={labels.backchannel}
        description={t('apps.backchannelAbout')}
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
      />
    </>
  );
}

function Requests({ form, labels }: Props) {
  const { t } = useTexts();
  return (
    <>
      <Switch
        {...form.getInputProps('asksConsent', { type: 'checkbox' })}
        label={labels.asksConsent}
        description={t('apps.asksConsentAbout')}
      />
      <Switch
        {...form.getInputProps('needsPar', { type: 'checkbox' })}
        label={labels.needsPar}
        description={t('apps.needsParAbout')}
      />
    </>
  );
}

function Authentication({ form, labels }: Props) {
  const { t } = useTexts();
  return (
    <>
      <NativeSelect
        {...form.getInputProps('method')}
        label={labels.method}
        description={t('apps.methodAbout')}
        data={['client_secret_basic', 'client_secret_post', 'private_key_jwt']}
      />
      {form.values.method === 'private_key_jwt' && (
        <Textarea
          {...form.getInputProps('jwks')}
          label={labels.jwks}
          autosize
          minRows={3}
          maxRows={10}
          spellCheck={false}
        />
      )}
    </>
  );
}
