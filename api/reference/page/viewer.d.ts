// The viewer in vendor, as far as docs.js uses it. It is only for checking; browsers do not get it.
interface Viewer {
  preauthorizeApiKey(scheme: string, key: string): void;
}

declare var SwaggerUIBundle: {
  (options: {
    url: string;
    domNode: HTMLElement | null;
    deepLinking: boolean;
    defaultModelsExpandDepth: number;
    docExpansion: 'list' | 'full' | 'none';
    layout: string;
    presets: unknown[];
    validatorUrl: string | null;
    onComplete(): Promise<void>;
  }): Viewer;
  presets: { apis: unknown };
};
