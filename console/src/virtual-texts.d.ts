/** Made by the plugin of texts-plugin.ts: the way to the texts of each language. */
declare module 'virtual:texts' {
  export const load: Readonly<
    Record<string, () => Promise<{ default: Readonly<Record<string, string>> }>>
  >;
}
