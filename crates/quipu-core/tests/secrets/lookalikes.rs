//! What looks like a secret and is none: names of secrets, places where they are kept, examples of documents,
//! hashes, ids, code and prose about passwords.

pub const LOOKALIKES: &[(&str, &[&str])] = &[
    // The value stands somewhere else.
    (
        "python environ",
        &[
            "password = os.environ[\"DB_PASSWORD\"]",
            "API_KEY = os.environ['STRIPE_API_KEY']",
            "secret = os.environ.get(\"CLIENT_SECRET\")",
        ],
    ),
    (
        "python getenv",
        &[
            "token = os.getenv(\"GITHUB_TOKEN\")",
            "PASSWORD = os.getenv('PASSWORD', '')",
            "api_key=os.getenv(\"OPENAI_API_KEY\"),",
        ],
    ),
    (
        "python getpass",
        &[
            "password = getpass()",
            "password = getpass.getpass(\"Password: \")",
            "pwd = getpass.getpass(prompt='Database password?')",
        ],
    ),
    (
        "python settings",
        &[
            "password=settings.DATABASE_PASSWORD",
            "SECRET_KEY = config('SECRET_KEY')",
            "api_key = settings.api_key.get_secret_value()",
        ],
    ),
    (
        "python decouple",
        &[
            "SECRET_KEY = env('DJANGO_SECRET_KEY')",
            "PASSWORD = env.str(\"POSTGRES_PASSWORD\")",
            "password=config.get('database', 'password')",
        ],
    ),
    (
        "node environment",
        &[
            "const password = process.env.DB_PASSWORD;",
            "apiKey: process.env.OPENAI_API_KEY,",
            "clientSecret: process.env.GITHUB_CLIENT_SECRET!,",
        ],
    ),
    (
        "vite environment",
        &[
            "const apiKey = import.meta.env.VITE_API_KEY;",
            "secret: env.AUTH_SECRET,",
            "token: Deno.env.get('ACCESS_TOKEN'),",
        ],
    ),
    (
        "ruby environment",
        &[
            "password: ENV['DB_PASSWORD']",
            "secret_key_base: ENV.fetch('SECRET_KEY_BASE')",
            "password: <%= ENV[\"DATABASE_PASSWORD\"] %>",
        ],
    ),
    (
        "ruby credentials",
        &[
            "secret_key = Rails.application.credentials.secret_key_base",
            "api_key: Rails.application.credentials.dig(:stripe, :api_key)",
            "config.secret_key = credentials.fetch(:devise)",
        ],
    ),
    (
        "php environment",
        &[
            "'password' => env('DB_PASSWORD', ''),",
            "$password = getenv('DB_PASSWORD');",
            "define('DB_PASSWORD', getenv('WORDPRESS_DB_PASSWORD'));",
        ],
    ),
    (
        "go environment",
        &[
            "password := os.Getenv(\"DB_PASSWORD\")",
            "Password: os.Getenv(\"SMTP_PASSWORD\"),",
            "apiKey, ok := os.LookupEnv(\"API_KEY\")",
        ],
    ),
    (
        "rust environment",
        &[
            "let password = std::env::var(\"DB_PASSWORD\")?;",
            "let api_key = env!(\"API_KEY\");",
            "password: config.password.clone(),",
        ],
    ),
    (
        "java environment",
        &[
            "String password = System.getenv(\"DB_PASSWORD\");",
            "secret = System.getProperty(\"client.secret\");",
            "@Value(\"${spring.datasource.password}\") String password;",
        ],
    ),
    (
        "csharp configuration",
        &[
            "var password = Configuration[\"Db:Password\"];",
            "var apiKey = Environment.GetEnvironmentVariable(\"API_KEY\");",
            "options.ClientSecret = builder.Configuration[\"Auth:ClientSecret\"];",
        ],
    ),
    (
        "shell variable",
        &[
            "export DB_PASSWORD=$POSTGRES_PASSWORD",
            "PASSWORD=\"$1\"",
            "mysql -u root -p\"$MYSQL_ROOT_PASSWORD\"",
        ],
    ),
    (
        "shell substitution",
        &[
            "TOKEN=$(gcloud auth print-access-token)",
            "PASSWORD=`cat /run/secrets/db`",
            "export API_KEY=\"$(pass show api/key)\"",
        ],
    ),
    (
        "shell read",
        &[
            "read -s -p \"Password: \" PASSWORD",
            "read -rsp 'Enter API token: ' API_TOKEN",
            "stty -echo; read password; stty echo",
        ],
    ),
    (
        "shell default empty",
        &[
            "PASSWORD=${DB_PASSWORD:-}",
            "token=\"${1:?token missing}\"",
            "API_KEY=${API_KEY:?set API_KEY first}",
        ],
    ),
    (
        "batch variable",
        &["set PASSWORD=%DB_PASSWORD%", "mysql -p%DB_PASS% shop", "docker login -p %TOKEN%"],
    ),
    (
        "powershell variable",
        &[
            "$password = $env:DB_PASSWORD",
            "$cred = Get-Credential",
            "$secret = Get-AzKeyVaultSecret -VaultName kv -Name db-password",
        ],
    ),
    (
        "powershell prompt",
        &[
            "$Password = Read-Host -AsSecureString",
            "-Password $securePassword",
            "ConvertTo-SecureString $env:PASSWORD -AsPlainText -Force",
        ],
    ),
    (
        "github secrets",
        &[
            "password: ${{ secrets.DOCKER_PASSWORD }}",
            "token: ${{ github.token }}",
            "NPM_TOKEN: ${{ secrets.NPM_TOKEN }}",
        ],
    ),
    (
        "gitlab variables",
        &[
            "docker login -u $CI_REGISTRY_USER -p $CI_REGISTRY_PASSWORD $CI_REGISTRY",
            "password: $DEPLOY_PASSWORD",
            "curl --header \"JOB-TOKEN: $CI_JOB_TOKEN\" $URL",
        ],
    ),
    (
        "azure pipelines",
        &[
            "password: $(dbPassword)",
            "apiKey: '$(NUGET_API_KEY)'",
            "azureSubscriptionSecret: $(secretFromVault)",
        ],
    ),
    (
        "jenkins credentials",
        &[
            "withCredentials([string(credentialsId: 'sonar-token', variable: 'TOKEN')])",
            "credentialsId: 'github-deploy-token-production'",
            "password = credentials('db-password-prod')",
        ],
    ),
    (
        "circleci contexts",
        &[
            "password: $DOCKERHUB_PASSWORD",
            "context: org-global-secrets",
            "token: << parameters.token >>",
        ],
    ),
    (
        "helm template",
        &[
            "password: {{ .Values.db.password }}",
            "password: {{ .Values.auth.password | b64enc | quote }}",
            "secretKey: {{ include \"shop.secretKey\" . }}",
        ],
    ),
    (
        "jinja template",
        &[
            "password: \"{{ vault_db_password }}\"",
            "db_password={{ lookup('env', 'DB_PASSWORD') }}",
            "ansible_become_password: \"{{ become_pass }}\"",
        ],
    ),
    (
        "erb and mustache",
        &["password=<%= @password %>", "token: {{token}}", "api_key = [% api_key %]"],
    ),
    (
        "terraform references",
        &[
            "password = var.db_password",
            "password = random_password.db.result",
            "secret_key = data.aws_secretsmanager_secret_version.db.secret_string",
        ],
    ),
    (
        "terraform variable",
        &[
            "variable \"db_password\" {\n  type      = string\n  sensitive = true\n}",
            "output \"password\" {\n  value     = module.db.password\n  sensitive = true\n}",
            "password = aws_ssm_parameter.db_password.value",
        ],
    ),
    (
        "cloudformation",
        &[
            "MasterUserPassword: !Ref DBPassword",
            "Password: '{{resolve:secretsmanager:MyDB:SecretString:password}}'",
            "SecretString: !Sub '${DatabaseSecret}'",
        ],
    ),
    (
        "bicep",
        &[
            "@secure()\nparam adminPassword string",
            "adminPassword: keyVault.getSecret('vm-admin-password')",
            "password: adminPassword",
        ],
    ),
    (
        "kubernetes secret reference",
        &[
            "secretKeyRef:\n  name: shop-db-credentials\n  key: password",
            "env:\n  - name: DB_PASSWORD\n    valueFrom:\n      secretKeyRef:\n        name: postgres-credentials\n        key: postgres-password",
            "envFrom:\n  - secretRef:\n      name: application-secrets",
        ],
    ),
    (
        "kubernetes names",
        &[
            "imagePullSecrets:\n  - name: registry-credentials",
            "secretName: shop-tls-certificate",
            "serviceAccountName: vault-secrets-operator",
        ],
    ),
    (
        "helm existing secret",
        &[
            "existingSecret: keycloak-postgresql-credentials",
            "existingSecretPasswordKey: postgres-password",
            "existingSecret: \"grafana-admin-2024\"",
        ],
    ),
    (
        "external secrets",
        &[
            "remoteRef:\n  key: production/shop/database-password",
            "secretStoreRef:\n  name: aws-secrets-manager-store",
            "target:\n  name: application-api-credentials-v2",
        ],
    ),
    (
        "sealed secret name",
        &[
            "kind: SealedSecret\nmetadata:\n  name: shop-database-credentials",
            "kubectl get secret shop-database-credentials -o yaml",
            "kubectl delete secret regcred-production-2024",
        ],
    ),
    (
        "arn of a secret",
        &[
            "secret_arn = \"arn:aws:secretsmanager:eu-central-1:123456789012:secret:prod/shop/db-AbCdEf\"",
            "SecretId: arn:aws:secretsmanager:us-east-1:210987654321:secret:MyTestSecret-a1b2c3",
            "valueFrom: arn:aws:ssm:us-east-1:123456789012:parameter/prod/db_password",
        ],
    ),
    (
        "gcp secret names",
        &[
            "secret: projects/123456/secrets/db-password/versions/latest",
            "gcloud secrets versions access latest --secret=production-db-password",
            "--set-secrets=DB_PASSWORD=db-password:latest",
        ],
    ),
    (
        "azure key vault address",
        &[
            "secretUri: https://shop-kv.vault.azure.net/secrets/db-password/«H32»",
            "@Microsoft.KeyVault(SecretUri=https://kv.vault.azure.net/secrets/ApiKey)",
            "keyVaultSecretName: storage-account-access-key",
        ],
    ),
    (
        "vault paths",
        &[
            "vault kv get -field=password secret/data/shop/database",
            "password: vault:secret/data/mysql#MYSQL_ROOT_PASSWORD",
            "secret: kv/team-payments/stripe/webhook-signing",
        ],
    ),
    (
        "1password reference",
        &[
            "DB_PASSWORD=op://Production/Postgres/password",
            "token: op://dev/github/token",
            "api_key: \"op://vault-42/item-17/credential\"",
        ],
    ),
    (
        "doppler and sops",
        &[
            "password: ENC[AES256_GCM,data:«B24»,iv:«B40»=,tag:«B22»==,type:str]",
            "doppler secrets get DB_PASSWORD --plain",
            "secret: ref+awssecrets://prod/db#password",
        ],
    ),
    (
        "ansible vault",
        &[
            "db_password: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  «D80»",
            "ansible-vault encrypt_string --name db_password",
            "vault_password_file = ~/.vault_pass.txt",
        ],
    ),
    (
        "password files",
        &[
            "password_file=/run/secrets/db_password",
            "POSTGRES_PASSWORD_FILE=/run/secrets/postgres-password",
            "--password-file ~/.borg/passphrase.txt",
        ],
    ),
    (
        "key files",
        &[
            "private_key_path = \"~/.ssh/id_ed25519_deploy\"",
            "ssl_key_file=/etc/ssl/private/server-2024.key",
            "IdentityFile ~/.ssh/github_deploy_key_2024",
        ],
    ),
    (
        "credentials files",
        &[
            "GOOGLE_APPLICATION_CREDENTIALS=/etc/gcp/service-account.json",
            "credentials: ./secrets/gcp-service-account-2024.json",
            "credential.helper=/usr/lib/git-core/git-credential-libsecret",
        ],
    ),
    (
        "token files",
        &[
            "token_file: /var/run/secrets/kubernetes.io/serviceaccount/token",
            "--token-file=./.secrets/telegram-bot-token",
            "AWS_WEB_IDENTITY_TOKEN_FILE=/var/run/secrets/eks.amazonaws.com/serviceaccount/token",
        ],
    ),
    (
        "standard input",
        &[
            "echo $TOKEN | docker login --username foo --password-stdin",
            "cat pw.txt | gh auth login --with-token",
            "helm registry login -u ci --password-stdin ghcr.io",
        ],
    ),
    (
        "prompt options",
        &[
            "mysql -u root -p shop_production",
            "psql -W -U postgres -h db.internal",
            "curl -u admin https://host.internal/api",
        ],
    ),
    (
        "options without a value",
        &[
            "mysqldump -p --all-databases > dump.sql",
            "ssh-keygen -t ed25519 -N '' -f deploy_key",
            "sshpass -e ssh deploy@host.internal",
        ],
    ),
    (
        "ssh with ports",
        &[
            "ssh -p 2222 deploy@host.internal",
            "scp -P 2222 f deploy@host.internal:/srv",
            "nmap -p 8080-8090 host.internal",
        ],
    ),
    (
        "mkdir and cp with -p",
        &[
            "mkdir -p src/components/passwords",
            "cp -pr releases/current releases/previous",
            "docker run -p 8080:80 nginx",
        ],
    ),
    (
        "tool with -a and -w",
        &[
            "git commit -a -m \"rotate password\"",
            "grep -w password1234 file.txt",
            "redis-cli -h cache.internal ping",
        ],
    ),
    // Stand-ins.
    (
        "amazon examples",
        &[
            "aws_access_key_id = AKIAIOSFODNN7EXAMPLE",
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "ASIAIOSFODNN7EXAMPLE",
        ],
    ),
    (
        "angle brackets",
        &[
            "token: <your-token-here>",
            "curl -u <user>:<password> https://host.io",
            "password=<PASSWORD>",
        ],
    ),
    (
        "square brackets",
        &["password: [your password]", "API_KEY=[REDACTED]", "token=[insert token here]"],
    ),
    (
        "your something",
        &[
            "api_key = \"YOUR_API_KEY\"",
            "token: your_github_token",
            "SECRET_KEY=your-secret-key-goes-here",
        ],
    ),
    (
        "my something",
        &["password = \"mypassword\"", "api_key: my-api-key", "client_secret=my_client_secret"],
    ),
    (
        "some marks",
        &["password=xxxxxxxxxxxx", "api_key: ****************", "token = \"................\""],
    ),
    (
        "prefix and marks",
        &[
            "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "AKIAXXXXXXXXXXXXXXXX",
        ],
    ),
    (
        "prefix and dots",
        &["sk-ant-api03-...", "set it to ghp_… in the settings", "OPENAI_API_KEY=sk-..."],
    ),
    (
        "counting",
        &[
            "api_key=1234567890abcdef",
            "token: abcdef1234567890abcdef1234567890",
            "password=0123456789",
        ],
    ),
    (
        "alphabet",
        &[
            "AIzaSyabcdefghijklmnopqrstuvwxyz1234567",
            "key: abcdefghijklmnopqrstuvwxyz",
            "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        ],
    ),
    (
        "change me",
        &["password: changeme", "DB_PASSWORD=change_me_please", "secret: please-change-this"],
    ),
    (
        "replace me",
        &["API_KEY=REPLACE_ME", "token = \"TODO\"", "SECRET_KEY=replace-with-a-long-random-string"],
    ),
    (
        "insert here",
        &[
            "client_secret: insert-client-secret-here",
            "PASSWORD=put_your_password_here",
            "api_key = \"ENTER_KEY_HERE\"",
        ],
    ),
    ("none and null", &["password: null", "password = None", "token: undefined"]),
    (
        "booleans",
        &["password_required: true", "show_password=false", "enable_password_login: disabled"],
    ),
    ("empty", &["password: \"\"", "API_KEY=''", "DB_PASSWORD=\nDB_HOST=localhost"]),
    (
        "fake words",
        &[
            "password=fake-password",
            "token = \"dummy-token-for-tests\"",
            "api_key: example-api-key",
        ],
    ),
    (
        "test words",
        &["password: \"test-password\"", "secret = \"not-a-real-secret\"", "token='invalid-token'"],
    ),
    (
        "connection examples",
        &[
            "postgres://user:password@localhost:5432/mydb",
            "mongodb://username:password@host:27017/db",
            "redis://:password@localhost:6379",
        ],
    ),
    (
        "connection with variables",
        &[
            "postgres://${DB_USER}:${DB_PASSWORD}@${DB_HOST}/shop",
            "mysql://$USER:$PASS@db/shop",
            "amqp://{user}:{password}@{host}",
        ],
    ),
    (
        "connection with percent",
        &[
            "mongodb://%s:%s@%s:27017/shop",
            "postgresql://%(user)s:%(password)s@%(host)s/db",
            "f\"postgres://{user}:{pw}@{host}\"",
        ],
    ),
    (
        "connection without a password",
        &[
            "postgres://app@db.internal:5432/shop",
            "https://github.com/org/repo.git@v1.2.3",
            "ssh://git@host.internal:22/x.git",
        ],
    ),
    (
        "ado with a variable",
        &[
            "Server=db;User Id=sa;Password=${SA_PASSWORD};",
            "Password=*****;Server=db",
            "Pwd={your_password};Uid=app",
        ],
    ),
    (
        "trusted connections",
        &[
            "Server=db;Database=shop;Integrated Security=SSPI;Persist Security Info=False",
            "Data Source=db;Trusted_Connection=True;",
            "Authentication=Active Directory Password;Encrypt=True",
        ],
    ),
    (
        "bearer with a variable",
        &[
            "Authorization: Bearer $TOKEN",
            "Authorization: Bearer <access_token>",
            "-H \"Authorization: Bearer ${ACCESS_TOKEN}\"",
        ],
    ),
    (
        "bearer in code",
        &[
            "headers: { Authorization: `Bearer ${token}` }",
            "req.Header.Set(\"Authorization\", \"Bearer \"+token)",
            "headers={\"Authorization\": f\"Bearer {api_key}\"}",
        ],
    ),
    (
        "basic in words",
        &[
            "Authorization: Basic authentication is required",
            "WWW-Authenticate: Basic realm=\"registry\"",
            "Authorization: Basic <base64(user:password)>",
        ],
    ),
    (
        "header names",
        &[
            "X-Api-Key: required",
            "allowed headers: Authorization, X-Api-Key, X-Auth-Token",
            "Access-Control-Allow-Headers: Authorization,X-Requested-With",
        ],
    ),
    // Hashes, ids, public things.
    (
        "git hash",
        &["commit «H40»", "fixed in «H7», reverted in «H10»", "HEAD is now at «H8» rotate secrets"],
    ),
    (
        "merge of hashes",
        &[
            "Merge: «H7» «H7»",
            "cherry picked from commit «H40»",
            "Fixes: «H12» (\"auth: check the token\")",
        ],
    ),
    (
        "image digest",
        &[
            "image: ghcr.io/org/app@sha256:«H64»",
            "Digest: sha256:«H64»",
            "FROM node:20@sha256:«H64»",
        ],
    ),
    (
        "lock file integrity",
        &[
            "\"integrity\": \"sha512-«B86»==\"",
            "integrity sha512-«B86»==",
            "resolution: {integrity: sha512-«B86»==}",
        ],
    ),
    (
        "cargo checksum",
        &[
            "checksum = \"«H64»\"",
            "source = \"git+https://github.com/x/y?rev=«H40»\"",
            "rev = \"«H40»\"",
        ],
    ),
    (
        "go checksum",
        &[
            "golang.org/x/crypto v0.17.0 h1:«B43»=",
            "github.com/golang-jwt/jwt/v5 v5.2.0/go.mod h1:«B43»=",
            "k8s.io/api v0.29.0 h1:«B43»=",
        ],
    ),
    (
        "pip hash",
        &["--hash=sha256:«H64»", "requests==2.31.0 --hash=sha256:«H64»", "hash = \"sha256:«H64»\""],
    ),
    (
        "nix hash",
        &[
            "sha256 = \"sha256-«B43»=\";",
            "hash = \"sha256-«B43»=\";",
            "narHash = \"sha256-«B43»=\";",
        ],
    ),
    (
        "subresource integrity",
        &[
            "<script src=\"a.js\" integrity=\"sha384-«B64»\" crossorigin></script>",
            "integrity=\"sha256-«B43»=\"",
            "<link integrity=\"sha384-«B64»\" rel=\"stylesheet\">",
        ],
    ),
    ("file checksum", &["«H64»  release-1.2.0.tar.gz", "md5: «H32»", "sha1sum «H40» *disk.iso"]),
    ("etag", &["ETag: \"«H32»\"", "If-None-Match: W/\"«H40»\"", "x-amz-version-id: «A32»"]),
    (
        "password hash named",
        &[
            "argon2id is the password hash we chose",
            "password_hash_algorithm: argon2id",
            "$2b$ marks a bcrypt hash; cost 12",
        ],
    ),
    ("uuid", &["id: «Y»", "request «Y» failed", "tenant_id = \"«Y»\""]),
    ("client ids", &["client_id: «Y»", "AZURE_CLIENT_ID=«Y»", "GITHUB_APP_ID=«D6»"]),
    (
        "key ids",
        &[
            "kms_key_id = \"arn:aws:kms:eu-west-1:123456789012:key/«Y»\"",
            "key_id: «H16»",
            "gpg key «U16»",
        ],
    ),
    (
        "trace ids",
        &["trace_id=«H32» span_id=«H16»", "traceparent: 00-«H32»-«H16»-01", "x-request-id: «A21»"],
    ),
    ("ulid and nanoid", &["id = \"01HV«U22»\"", "session 01J«U23» started", "/runs/«A21»/logs"]),
    ("snowflakes", &["channel «D18», user «D18»", "tweet id «D19»", "account «D12»"]),
    (
        "fingerprints",
        &[
            "SHA256:«B43» deploy@ci (ED25519)",
            "MD5:ab:cd:ef:01:23:45:67:89:ab:cd:ef:01:23:45:67:89",
            "Fingerprint: «U4» «U4» «U4» «U4» «U4»",
        ],
    ),
    (
        "ssh public keys",
        &[
            "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA«B44» deploy@ci",
            "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ«B200» maria@laptop",
            "github.com ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTY«B80»=",
        ],
    ),
    (
        "public key block",
        &[
            "-----BEGIN PUBLIC KEY-----\n«B64»\n«B64»\n-----END PUBLIC KEY-----",
            "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n«B64»\n-----END PGP PUBLIC KEY BLOCK-----",
            "-----BEGIN PGP SIGNATURE-----\n\n«B64»\n-----END PGP SIGNATURE-----",
        ],
    ),
    (
        "certificates",
        &[
            "-----BEGIN CERTIFICATE-----\nMIID«B60»\n«B64»\n-----END CERTIFICATE-----",
            "certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t«B80»",
            "caBundle: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t«B120»",
        ],
    ),
    (
        "certificate request",
        &[
            "-----BEGIN CERTIFICATE REQUEST-----\nMIIC«B60»\n-----END CERTIFICATE REQUEST-----",
            "serial: «H32»",
            "Subject Key Identifier: AB:CD:12:34:56:78",
        ],
    ),
    ("age and wireguard public", &["age1«L58»", "PublicKey = «B43»=", "recipients: age1«L58»"]),
    (
        "publishable keys",
        &[
            "pk_live_«A24» is the publishable key",
            "publishable_key: pk_test_«A24»",
            "NEXT_PUBLIC_STRIPE_KEY=pk_test_51«A40»",
        ],
    ),
    (
        "site keys",
        &[
            "recaptcha_site_key = \"6L«R38»\"",
            "data-sitekey=\"0x4AAAAAAA«A14»\"",
            "measurement_id: G-«U10»",
        ],
    ),
    (
        "public dsn",
        &[
            "dsn: https://«H32»@o123456.ingest.sentry.io/4505",
            "SENTRY_DSN=https://«H32»@sentry.io/123",
            "Sentry.init({ dsn: \"https://«H32»@o99.ingest.us.sentry.io/1\" })",
        ],
    ),
    (
        "base64 images",
        &[
            "data:image/png;base64,iVBORw0KGgo«B200»=",
            "src=\"data:font/woff2;base64,d09GMgABAAAA«B160»\"",
            "url(data:image/svg+xml;base64,PHN2Zy«B120»)",
        ],
    ),
    (
        "base64 text",
        &[
            "echo aGVsbG8gd29ybGQ= | base64 -d",
            "content: SGVsbG8sIFdvcmxkIQ==",
            "payload=eyJoZWxsbyI6IndvcmxkIn0=",
        ],
    ),
    (
        "source maps",
        &[
            "//# sourceMappingURL=app.«H20».js.map",
            "main.«H8».chunk.js",
            "/static/js/vendor-«R22».js",
        ],
    ),
    (
        "css colours",
        &[
            "color: #«H6»; background: #«H3»",
            "--token-color-primary: #«H6»;",
            "$secret-panel-border: rgba(12, 34, 56, .7);",
        ],
    ),
    (
        "urls with ids",
        &[
            "https://docs.google.com/document/d/1«R43»/edit",
            "https://www.figma.com/file/«A22»/Design?node-id=12",
            "https://www.youtube.com/watch?v=«R11»",
        ],
    ),
    (
        "issue links",
        &[
            "https://github.com/org/repo/pull/4312#discussion_r«D10»",
            "https://app.asana.com/0/«D16»/«D16»",
            "https://linear.app/acme/issue/ENG-1432/rotate-api-token",
        ],
    ),
    (
        "notion and confluence links",
        &[
            "https://www.notion.so/acme/Passwords-«H32»",
            "https://acme.atlassian.net/wiki/spaces/ENG/pages/«D10»/Secret+rotation",
            "https://miro.com/app/board/uXjVN«R10»=/",
        ],
    ),
    (
        "api pages",
        &[
            "https://api.host.io/v1/tokens/«Y»",
            "GET /v1/secrets/«D6»/versions/3",
            "https://host.io/reset?next=/login&lang=en",
        ],
    ),
    (
        "versions",
        &["1.2.3-beta.4+build.5678", "jsonwebtoken: ^9.0.2", "passport-local-mongoose@8.0.0"],
    ),
    (
        "packages",
        &[
            "implementation 'io.jsonwebtoken:jjwt-api:0.12.3'",
            "\"argon2-password-hasher\": \"^1.4.0\"",
            "use secrecy::{ExposeSecret, SecretString};",
        ],
    ),
    (
        "model ids",
        &[
            "model: claude-sonnet-4-20250514",
            "ft:gpt-4o-mini-2024-07-18:acme::«A8»",
            "BAAI/bge-large-en-v1.5",
        ],
    ),
    (
        "long identifiers",
        &[
            "AbstractPasswordAuthenticationTokenFilterFactoryBean",
            "UsernamePasswordAuthenticationToken authentication",
            "resetPasswordTokenExpirationInMilliseconds = 3600000",
        ],
    ),
    (
        "constants",
        &[
            "const PASSWORD_RESET_TOKEN_EXPIRY = 3600;",
            "TOKEN_TYPE_BEARER = \"bearer\"",
            "SECRET_ROTATION_DAYS: 90",
        ],
    ),
    (
        "enum values",
        &[
            "credential_type: service_principal_certificate",
            "auth_method = \"password_grant\"",
            "token_type: urn:ietf:params:oauth:token-type:access_token",
        ],
    ),
    (
        "names of keys",
        &[
            "partition_key = \"customer_id_and_order_date\"",
            "primary_key: order_line_item_id_2024",
            "sort_key=created_at_timestamp_utc",
        ],
    ),
    (
        "cache keys",
        &[
            "key: ${{ runner.os }}-cargo-${{ hashFiles('**/Cargo.lock') }}",
            "cache_key = f\"user:{user_id}:permissions:v2\"",
            "restore-keys: v3-node-modules-linux-x64-",
        ],
    ),
    (
        "routing keys",
        &[
            "routing_key: orders.created.eu-west-1.v2",
            "topic = \"auth.password.reset.requested\"",
            "event: user.api_key.rotated.2024",
        ],
    ),
    (
        "translation keys",
        &[
            "\"password\": \"auth.fields.password.label\"",
            "t('settings.security.changePassword.title')",
            "label: user.password.confirmation_v2",
        ],
    ),
    (
        "html",
        &[
            "<input type=\"password\" name=\"password\" id=\"login-password-field\" autocomplete=\"current-password\">",
            "<label for=\"password\">Password</label>",
            "<a href=\"/password/reset\">Forgot your password?</a>",
        ],
    ),
    (
        "html placeholder",
        &[
            "<input placeholder=\"Enter your password here\" type=\"password\">",
            "<button aria-label=\"Show password\">Show</button>",
            "<PasswordField label=\"New password\" minLength={12} />",
        ],
    ),
    (
        "css classes",
        &[
            ".password-strength-meter--level-3 { width: 60% }",
            "className=\"token-input__wrapper token-input--disabled\"",
            "#secret-key-modal .modal-body { padding: 0 }",
        ],
    ),
    (
        "function calls",
        &[
            "validate_password(user.password)",
            "if (!verifyPassword(password, user.passwordHash)) return;",
            "const token = generateAccessToken(user.id);",
        ],
    ),
    (
        "function signatures",
        &[
            "def authenticate(username: str, password: str) -> Token:",
            "fn login(user: &str, password: SecretString) -> Result<Session, AuthError>",
            "public void setPassword(final String newPassword) {",
        ],
    ),
    (
        "assignment from a call",
        &[
            "password = generate_random_password(length=32)",
            "token = jwt.encode(payload, key, algorithm='HS256')",
            "secret := base64.StdEncoding.EncodeToString(bytes)",
        ],
    ),
    (
        "assignment from a field",
        &[
            "this.password = password;",
            "self.api_key = api_key",
            "token = response.data.access_token;",
        ],
    ),
    (
        "assignment from a request",
        &[
            "const { password } = req.body;",
            "password = request.form['password']",
            "String password = request.getParameter(\"password\");",
        ],
    ),
    (
        "comparison",
        &[
            "if password == confirm_password:",
            "if (token !== expectedToken) throw new Error();",
            "assert user.password != 'plaintext'",
        ],
    ),
    (
        "null checks",
        &[
            "if (password == null || password.isEmpty()) return false;",
            "password ?? throw new ArgumentNullException(nameof(password))",
            "token && token.length > 20",
        ],
    ),
    (
        "struct fields",
        &[
            "password: String,",
            "APIKey string `json:\"api_key\" yaml:\"api_key\"`",
            "clientSecret?: string;",
        ],
    ),
    (
        "schema",
        &[
            "password: { type: 'string', minLength: 12, format: 'password' }",
            "password = models.CharField(max_length=128)",
            "api_key: Optional[SecretStr] = None",
        ],
    ),
    (
        "graphql",
        &[
            "mutation Login($password: String!) { login(password: $password) { token } }",
            "type AuthPayload { accessToken: String! refreshToken: String }",
            "input ResetPasswordInput { token: ID! newPassword: String! }",
        ],
    ),
    (
        "sql columns",
        &[
            "ALTER TABLE users ADD COLUMN password_digest varchar(255) NOT NULL;",
            "SELECT id, api_key_hash FROM tokens WHERE revoked_at IS NULL;",
            "CREATE INDEX idx_tokens_access_token_hash ON tokens (access_token_hash);",
        ],
    ),
    (
        "sql with parameters",
        &[
            "UPDATE users SET password = $1 WHERE id = $2",
            "INSERT INTO keys (api_key) VALUES (?)",
            "ALTER USER app WITH PASSWORD :'app_password';",
        ],
    ),
    (
        "migrations",
        &[
            "class AddResetPasswordTokenToUsers < ActiveRecord::Migration[7.1]",
            "20240312_add_api_key_to_accounts.py",
            "t.string :encrypted_password, null: false, default: \"\"",
        ],
    ),
    (
        "test names",
        &[
            "def test_password_must_have_12_characters():",
            "it('rejects an expired access token')",
            "fn a_wrong_password_is_refused_after_5_tries()",
        ],
    ),
    (
        "assertions",
        &[
            "expect(screen.getByLabelText('Password')).toBeVisible();",
            "assert \"password\" not in caplog.text",
            "assert_eq!(redact(\"password=x\"), \"password=(REDACTED)\");",
        ],
    ),
    (
        "regexes",
        &[
            "/password\\s*[:=]\\s*(\\S+)/i",
            "const TOKEN_RE = /^ghp_[A-Za-z0-9]{36}$/;",
            "secret: '^[A-Za-z0-9+/]{40}$'",
        ],
    ),
    (
        "logs",
        &[
            "Invalid password for user maria from 10.0.0.7 port 52314",
            "Accepted publickey for deploy from 10.1.2.3 port 53122 ssh2: ED25519 SHA256:«B43»",
            "token refresh failed: status=401 attempt=3",
        ],
    ),
    (
        "errors",
        &[
            "Error: The security token included in the request is invalid",
            "FATAL: password authentication failed for user \"app\"",
            "AADSTS7000215: Invalid client secret provided",
        ],
    ),
    (
        "comments",
        &[
            "# TODO: move the password into Vault before 2026-12-01",
            "// password: see 1Password, vault \"Ops\"",
            "-- api_key is encrypted at rest with key v3",
        ],
    ),
    (
        "todo lists",
        &[
            "- [ ] rotate the API key of the staging server",
            "- [x] password reset mail in German",
            "1. Create a token with scopes repo:read and user:email",
        ],
    ),
    (
        "policy prose",
        &[
            "The password policy requires 12 characters and one digit.",
            "A password is stored as argon2id with 64 MiB and 3 passes.",
            "Passwords: at least 16 characters, rotated every 90 days.",
        ],
    ),
    (
        "prose about keys",
        &[
            "The API key is rotated monthly by the platform team.",
            "Each access token is valid for 15 minutes.",
            "The secret is that we cache everything.",
        ],
    ),
    (
        "prose about places",
        &[
            "The password is in 1Password under \"Staging database\".",
            "API key: ask Maria, or look into the team vault.",
            "Token: stored in the keychain as quipu-github.",
        ],
    ),
    (
        "prose with is",
        &[
            "The password is required.",
            "The token is expired, log in again.",
            "The secret key is never written to disk.",
        ],
    ),
    (
        "prose with a number",
        &[
            "Password: minimum 12 characters",
            "Token limit: 8192 per request",
            "Key size: 4096 bits, SHA-512",
        ],
    ),
    (
        "prose about changes",
        &[
            "We changed the password hashing to argon2id.",
            "I set the token lifetime to 3600 seconds.",
            "They moved the secret to Parameter Store in us-east-1.",
        ],
    ),
    (
        "token counts",
        &[
            "tokens: 128000",
            "max_tokens=4096, prompt_tokens=1523",
            "The context window is 200k tokens.",
        ],
    ),
    (
        "german prose",
        &[
            "Das Passwort muss mindestens 12 Zeichen lang sein.",
            "Passwort vergessen? Klicken Sie hier.",
            "Das Kennwort wird nie im Klartext gespeichert.",
        ],
    ),
    (
        "german place",
        &[
            "Passwort: siehe Tresor, Eintrag Datenbank",
            "Das Passwort liegt im Schlüsselbund.",
            "Der API-Schlüssel wird monatlich erneuert.",
        ],
    ),
    (
        "french prose",
        &[
            "Le mot de passe doit contenir au moins 12 caractères.",
            "Mot de passe oublié ?",
            "La clé API est renouvelée chaque mois.",
        ],
    ),
    (
        "spanish prose",
        &[
            "La contraseña debe tener al menos 12 caracteres.",
            "¿Olvidaste tu contraseña?",
            "La contraseña es obligatoria.",
        ],
    ),
    (
        "portuguese prose",
        &[
            "A senha deve ter no mínimo 12 caracteres.",
            "Esqueceu a senha? Clique aqui.",
            "senha: obrigatória",
        ],
    ),
    (
        "italian and dutch prose",
        &[
            "La password deve avere almeno 12 caratteri.",
            "Wachtwoord vergeten?",
            "Het wachtwoord is verplicht en heeft 12 tekens.",
        ],
    ),
    (
        "nordic and polish prose",
        &[
            "Lösenordet måste ha minst 12 tecken.",
            "Hasło musi mieć co najmniej 12 znaków.",
            "Salasana on vaihdettava 90 päivän välein.",
        ],
    ),
    (
        "russian prose",
        &[
            "Пароль должен содержать не менее 12 символов.",
            "Забыли пароль?",
            "Пароль хранится в менеджере паролей.",
        ],
    ),
    (
        "chinese and japanese prose",
        &[
            "密码必须至少包含12个字符。",
            "パスワードは12文字以上で設定してください。",
            "パスワードをお忘れですか？",
        ],
    ),
    (
        "korean and turkish prose",
        &[
            "비밀번호는 12자 이상이어야 합니다.",
            "Şifrenizi mi unuttunuz?",
            "Şifre en az 12 karakter olmalıdır.",
        ],
    ),
    (
        "file paths",
        &[
            "src/auth/password_reset_token.rs",
            "/etc/kubernetes/pki/apiserver-kubelet-client.key",
            "docs/how-to/rotate-api-keys-2024-05.md",
        ],
    ),
    (
        "ignore files",
        &[
            "*.pem\n.env.local\nsecrets/*.json",
            "!.env.example",
            "exclude: ^(secrets|tokens)/.*\\.key$",
        ],
    ),
    (
        "module imports",
        &[
            "import { PasswordField } from '@mui/x-password-field-v2';",
            "from cryptography.hazmat.primitives.kdf.scrypt import Scrypt",
            "require 'devise/models/two_factor_authenticatable'",
        ],
    ),
    (
        "decorators",
        &[
            "@login_required(redirect_field_name='next_page_after_login')",
            "#[serde(skip_serializing, rename = \"apiKey\")]",
            "@JsonProperty(access = WRITE_ONLY) private String password;",
        ],
    ),
    (
        "openapi",
        &[
            "securitySchemes:\n  ApiKeyAuth:\n    type: apiKey\n    in: header\n    name: X-API-Key",
            "security:\n  - bearerAuth: []",
            "tokenUrl: https://auth.host.io/oauth/token",
        ],
    ),
    (
        "oauth addresses",
        &[
            "token_endpoint: https://login.host.io/oauth2/v2.0/token",
            "access_token_url=https://api.host.io/oauth/access_token",
            "https://host.io/oauth/authorize?response_type=token&client_id=web&scope=read",
        ],
    ),
    (
        "scopes",
        &[
            "scope: openid profile email offline_access",
            "permissions:\n  id-token: write\n  contents: read",
            "token_scopes = [\"repo:status\", \"read:packages\"]",
        ],
    ),
    (
        "durations",
        &["access_token_lifetime: 15m", "password_expiry = \"90d\"", "SECRET_CACHE_TTL=3600"],
    ),
    (
        "algorithms",
        &[
            "jwt_algorithm: RS256",
            "password_encryption = scram-sha-256",
            "PasswordHasher: Argon2id_v19",
        ],
    ),
    (
        "kafka",
        &[
            "sasl.mechanism=SCRAM-SHA-512",
            "sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username=\"${USER}\" password=\"${PASSWORD}\";",
            "ssl.keystore.password=${KEYSTORE_PASSWORD}",
        ],
    ),
    (
        "spring placeholders",
        &[
            "spring.datasource.password=${DB_PASSWORD}",
            "jwt.secret=${JWT_SECRET:}",
            "password: ${vault.db.password}",
        ],
    ),
    (
        "maven placeholders",
        &[
            "<password>${env.NEXUS_PASSWORD}</password>",
            "<password>{{ nexus_password }}</password>",
            "<passphrase>${gpg.passphrase}</passphrase>",
        ],
    ),
    (
        "xml without a value",
        &[
            "<password/>",
            "<password></password>",
            "<xs:element name=\"password\" type=\"xs:string\"/>",
        ],
    ),
    (
        "compose placeholders",
        &[
            "POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:?error}",
            "- DB_PASSWORD=${DB_PASSWORD}",
            "secrets:\n  db_password:\n    file: ./db_password.txt",
        ],
    ),
    (
        "dockerfile references",
        &[
            "ARG NPM_TOKEN\nRUN echo \"//registry.npmjs.org/:_authToken=${NPM_TOKEN}\" > .npmrc",
            "RUN --mount=type=secret,id=npm_token cat /run/secrets/npm_token",
            "ENV DB_PASSWORD_FILE /run/secrets/db",
        ],
    ),
    (
        "npmrc reference",
        &[
            "//registry.npmjs.org/:_authToken=${NPM_TOKEN}",
            "always-auth=true",
            "//npm.pkg.github.com/:_authToken=${GITHUB_TOKEN}",
        ],
    ),
    (
        "netrc words",
        &[
            "The machine login needs a password manager.",
            "machine learning models log in tokens per second",
            "login form: password field comes second",
        ],
    ),
    (
        "colon separated",
        &[
            "root:x:0:0:root:/root:/bin/bash",
            "10.0.0.7:5432:shop:app:*",
            "PATH=/usr/local/bin:/usr/bin:/bin:/opt/tools/bin",
        ],
    ),
    (
        "ports and times",
        &[
            "web:8080:80:tcp:internal",
            "2026-05-01T10:11:12.345Z level=info",
            "12:30:45 host1 sshd[2212]: session opened",
        ],
    ),
    (
        "seed words in prose",
        &[
            "seed phrase: never share the twelve words with anybody",
            "The recovery phrase is shown once and never again after that day",
            "seed: 42",
        ],
    ),
    (
        "jwt in pieces",
        &[
            "a JWT has three parts: eyJhbGciOi..., the payload and the signature",
            "header.payload.signature",
            "alg=none is refused; kid: 2024-05-key-1",
        ],
    ),
    ("short base64", &["nonce: «B16»", "salt = \"«B22»==\"", "iv: «H24»"]),
    (
        "csrf and nonces",
        &[
            "<meta name=\"csrf-token\" content=\"«B86»==\">",
            "csrf_token: «R40»",
            "script-src 'nonce-«B22»=='",
        ],
    ),
    (
        "public ids of services",
        &[
            "AC«H32» is the account",
            "twilio_messaging_service_sid: MG«H32»",
            "stripe customer cus_«A14», price price_1«A23»",
        ],
    ),
    ("stripe objects", &["pi_3«A23» succeeded", "evt_1«A23»", "sub_1«A23» renewed, in_1«A23»"]),
    (
        "aws resources",
        &[
            "i-0«H16» in subnet-«H16»",
            "vpc-0«H16», sg-0«H16», ami-0«H16»",
            "arn:aws:iam::123456789012:role/deploy-secrets-reader",
        ],
    ),
    (
        "blockchain",
        &["contract 0x«H40»", "tx 0x«H64» mined in block 19234567", "block hash 0x«H64»"],
    ),
    ("ipfs and peer ids", &["ipfs://Qm«A44»", "bafybei«L52»", "/p2p/12D3KooW«A44»"]),
    (
        "minified code",
        &[
            "!function(e,t){\"object\"==typeof exports?module.exports=t():e.tokenizer=t()}(this,function(){return 1});",
            "var a=b.passwordField,c=a.value.length>8?d.ok:d.err;",
            "function n(e){return e.token||e.secretName||null}",
        ],
    ),
    (
        "keyboards and monkeys",
        &[
            "keyboard: us-intl-dvorak",
            "Monkey patching keypress handlers",
            "turkey_cooking_time: 180min",
        ],
    ),
    (
        "author and authority",
        &[
            "author: maria-gonzalez-1984",
            "authority: login.microsoftonline.com",
            "authorization: handled by the gateway",
        ],
    ),
    (
        "secretary",
        &["secretary: Maria Gonzalez", "passenger_count: 12345678", "compass: north-north-east"],
    ),
];
