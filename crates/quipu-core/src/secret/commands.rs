//! Secrets in command lines and calls, where an option or a place says what they are.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::compile;
use super::placeholder::is_placeholder;
use super::value::{How, is_app_password, is_filler, is_password, is_reference, is_stand_in};

/// A command or call with the words it begins with. The last group is the secret, the one before it the user.
struct Form {
    literals: &'static [&'static str],
    pattern: &'static str,
    /// What a person made up will do; else it must look like a password among words.
    is_certain: bool,
}

/// A password: quoted, or up to the next blank.
macro_rules! value {
    () => {
        r#"(?:"([^"\n]{4,})"|'([^'\n]{4,})'|([^\s"'|;&<>()]{4,}))"#
    };
}

static FORMS: &[Form] = &[
    Form {
        literals: &["snmp"],
        pattern: concat!(r"(?-u)\bsnmp[a-z]+\b[^\n|;]*?[ \t]-[AX][ \t]+", value!()),
        is_certain: true,
    },
    Form {
        literals: &["openssl"],
        pattern: concat!(r"(?-u)\bopenssl[ \t]+(?:enc|aes)[^\n|;]*?[ \t](?:-k|-K)[ \t]+", value!()),
        is_certain: true,
    },
    Form {
        literals: &["sshpass"],
        pattern: concat!(r"(?-u)\bsshpass[ \t]+-p[ \t]*", value!()),
        is_certain: true,
    },
    Form {
        literals: &["mysql", "mariadb"],
        pattern: concat!(
            r"(?-u)\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)\b[^\n|;]*?[ \t]-p",
            value!()
        ),
        is_certain: true,
    },
    Form {
        literals: &["7z", "7za", "unrar", "rar "],
        pattern: concat!(r"(?-u)\b(?:7za?|unrar|rar)[ \t][^\n|;]*?[ \t]-p", value!()),
        is_certain: true,
    },
    Form {
        literals: &[
            "mongo",
            "login",
            "zip ",
            "psexec",
            "cmdkey",
            "vncpasswd",
            "wsl",
            "snmp",
            "bcp",
            "sqlcmd",
        ],
        pattern: concat!(
            r"(?-u)\b(?:mongo|mongosh|mongodump|mongorestore|mongoimport|mongoexport|(?:docker|podman|skopeo|buildah|helm|oras|az|oc|cf|ibmcloud|argocd|influx)(?:[ \t]+registry)?[ \t]+login|psexec)\b[^\n|;]*?[ \t](?:-p|--password)[ \t=]+",
            value!()
        ),
        is_certain: true,
    },
    Form {
        literals: &["zip "],
        pattern: concat!(r"(?-u)\b(?:zip|unzip)[ \t][^\n|;]*?-P[ \t]+", value!()),
        is_certain: true,
    },
    Form {
        literals: &["sqlcmd", "bcp", "sql "],
        pattern: concat!(r"(?-u)\b(?:sqlcmd|bcp|isql|tsql|osql)\b[^\n|;]*?[ \t]-P[ \t]*", value!()),
        is_certain: true,
    },
    Form {
        literals: &["redis-cli"],
        pattern: concat!(r"(?-u)\bredis-cli\b[^\n|;]*?[ \t](?:-a|--pass)[ \t=]+", value!()),
        is_certain: true,
    },
    Form {
        literals: &["ldap"],
        pattern: concat!(
            r"(?-u)\bldap(?:search|modify|add|delete|passwd|whoami)\b[^\n|;]*?[ \t]-w[ \t]*",
            value!()
        ),
        is_certain: true,
    },
    Form {
        literals: &["pass:"],
        pattern: concat!(r"(?-u)[ \t]-pass(?:in|out)?[ \t]+[\x22']?pass:", value!()),
        is_certain: true,
    },
    Form {
        literals: &["keytool", "jarsigner", "-storepass", "-keypass"],
        pattern: concat!(r"(?-u)[ \t]-(?:store|key|srcstore|deststore)pass[ \t]+", value!()),
        is_certain: true,
    },
    Form {
        literals: &["echo", "printf"],
        pattern: concat!(
            r#"(?-u)\b(?:echo|printf)[ \t]+(?:-[ne]+[ \t]+)?(?:["']?%s(?:\\n)?["']?[ \t]+)?"#,
            value!(),
            r"[ \t]*\|[ \t]*(?:sudo[ \t]+-[A-Za-z]*S|(?:sudo[ \t]+)?(?:runas\b|su\b|passwd\b|gpg\b|openssl\b|cryptsetup\b|kinit\b|gh[ \t]+auth\b|(?:docker|podman|helm|oras|kubectl|gh|glab|vault|wrangler|npx|fly|flyctl|az|aws|gcloud|heroku|vercel|netlify|railway|pulumi|oc|pass|op)\b[^\n|;]*(?:login|secrets?|passwords?)\b))"
        ),
        is_certain: true,
    },
    Form {
        literals: &["net user"],
        pattern: concat!(r"(?-u)\bnet user[ \t]+\S+[ \t]+", value!(), r"(?:[ \t]+/|[ \t]*$)"),
        is_certain: false,
    },
    Form {
        literals: &["sqlplus", "sqlldr", "expdp", "impdp"],
        pattern: r"(?-u)\b(?:sqlplus|sqlldr|expdp|impdp)[ \t]+(?:-[A-Za-z]+[ \t]+)*[\x22']?(?:userid=)?([0-9A-Za-z_]+)/([^\s@\x22']{4,})",
        is_certain: true,
    },
    Form {
        literals: &["admin", "root", "Administrator", "postgres"],
        pattern: r"(?-u)\b(?:admin|administrator|Administrator|root|postgres)[ \t]?[/:][ \t]?([^\s/:\x22'`<>]{8,})",
        is_certain: false,
    },
    Form {
        literals: &["chpasswd"],
        pattern: r#"(?-u)\becho[ \t]+["']?([A-Za-z_][0-9A-Za-z_.-]{0,31}):([^\s"'|]{4,})["']?[ \t]*\|[ \t]*(?:sudo[ \t]+)?chpasswd"#,
        is_certain: true,
    },
    Form {
        literals: &["htpasswd"],
        pattern: concat!(
            r"(?-u)\bhtpasswd[ \t]+(?:-[A-Za-z]+[ \t]+)*-[A-Za-z]*b[A-Za-z]*[ \t]+(?:-[A-Za-z]+[ \t]+)*(?:\S+[ \t]+)?\S+[ \t]+",
            value!()
        ),
        is_certain: true,
    },
    Form {
        literals: &["smb", "rpcclient", "net rpc"],
        pattern: r"(?-u)\b(?:smb[a-z]*|rpcclient|net)\b[^\n|;]*?[ \t]-U[ \t]*[\x22']?([^\s%\x22']+)%([^\s\x22']{4,})",
        is_certain: true,
    },
    Form {
        literals: &["net use"],
        pattern: concat!(r"(?-u)\bnet use[ \t][^\n]*?\\\\\S+[ \t]+", value!(), r"[ \t]+/user:"),
        is_certain: true,
    },
    Form {
        literals: &["net use", "cmdkey"],
        pattern: concat!(r"(?-u)(?i:/user:\S+[ \t]+(?:/pass:)?|/pass:)", value!()),
        is_certain: false,
    },
    Form {
        literals: &["ConvertTo-SecureString"],
        pattern: concat!(
            r"(?-u)ConvertTo-SecureString[ \t]+(?:-String[ \t]+)?",
            value!(),
            r"[ \t]+-AsPlainText"
        ),
        is_certain: true,
    },
    Form {
        literals: &[
            "NetworkCredential",
            "PSCredential",
            "UsernamePasswordCredentials",
            "BasicAuth",
            "basicAuth",
            "basic_auth",
            "HTTPBasic",
            "SetBasicAuth",
        ],
        pattern: r#"(?-u)\b(?:NetworkCredential|UsernamePasswordCredentials|(?:Set|HTTP|Http|http)?_?[Bb]asic_?[Aa]uth(?:entication)?)\([ \t]*["']([^"'\n]+)["'][ \t]*,[ \t]*(?:Some\()?["']([^"'\n]{4,})["']"#,
        is_certain: true,
    },
    Form {
        literals: &["auth=", "auth:", "auth ="],
        pattern: r#"(?-u)\bauth[ \t]*[=:][ \t]*[(\[][ \t]*["']([^"'\n]+)["'][ \t]*,[ \t]*["']([^"'\n]{4,})["']"#,
        is_certain: true,
    },
    Form {
        literals: &[
            "getConnection",
            "mysqli",
            "mysql_connect",
            "PDO(",
            "bind(",
            "ogin(",
            "connect(",
            "ser(",
            "uthenticate(",
            "ign_in(",
            "ignIn(",
        ],
        pattern: r#"(?i-u)\b[0-9A-Za-z_]*(?:getConnection|mysqli(?:_connect)?|connect|PDO|bind|login|superuser|create_?user|add_?user|authenticate|sign_?in)\((?:[^()\n]*,)?[ \t]*["']([^"'\n]+)["'][ \t]*,[ \t]*["']([^"'\n]{4,})["']"#,
        is_certain: false,
    },
    Form {
        literals: &["@tcp(", "@unix("],
        pattern: r#"(?-u)(?:^|["'`=\s])([0-9A-Za-z_.-]+):([^\s"'`/]{4,})@(?:tcp|unix)\("#,
        is_certain: true,
    },
    Form {
        literals: &["jdbc:oracle"],
        pattern: r"(?-u)\bjdbc:oracle:[a-z]+:([0-9A-Za-z_.-]+)/([^\s@]{4,})@",
        is_certain: true,
    },
    Form {
        literals: &["IDENTIFIED", "identified"],
        pattern: r#"(?-u)(?i:\bidentified[ \t]+(?:with[ \t]+\S+[ \t]+)?by[ \t]+)["']([^"'\n]{4,})["']"#,
        is_certain: true,
    },
    // Any command with a user and a password.
    Form {
        literals: &[" -u", " -U", " -l", "--user"],
        pattern: concat!(
            r"(?-u)[ \t](?:-[uUl]|--user(?:name)?)[ \t=]*[^\s-]\S*[ \t](?:[^\n|;]*?[ \t])?-[pP][ \t]*",
            value!()
        ),
        is_certain: false,
    },
    Form {
        literals: &["-keychain", "kadmin", "signtool", "obscure"],
        pattern: concat!(
            r"(?-u)\b(?:(?:unlock|create|set)-keychain(?:-password|-settings)?\b[^\n|;]*?[ \t]-p|kadmin\b[^\n|;]*?[ \t]-w|signtool\b[^\n|;]*?[ \t]/p|rclone[ \t]+obscure)[ \t]+",
            value!()
        ),
        is_certain: true,
    },
    Form {
        literals: &["mc alias", "mc config"],
        pattern: concat!(
            r"(?-u)\bmc[ \t]+(?:alias[ \t]+set|config[ \t]+host[ \t]+add)[ \t]+\S+[ \t]+\S+[ \t]+\S+[ \t]+",
            value!()
        ),
        is_certain: true,
    },
    // Keys that code signs and encrypts with.
    Form {
        literals: &["jwt.", "createHmac", "createCipheriv"],
        pattern: r#"(?-u)\b(?:jwt\.(?:sign|verify|encode|decode)|createHmac|createCipheriv)\([^\n]*?,[ \t]*b?["']([^"'\n]{8,})["']"#,
        is_certain: true,
    },
    Form {
        literals: &[
            "hmac.new",
            "HMAC",
            "Fernet",
            "AESGCM",
            "KeySpec",
            "hmacShaKeyFor",
            "SecurityKey",
        ],
        pattern: r#"(?-u)\b(?:hmac\.new|HMAC(?:SHA[0-9]+)?|Fernet|AESGCM|SecretKeySpec|hmacShaKeyFor|SymmetricSecurityKey)\([^"'\n]*["']([^"'\n]{8,})["']"#,
        is_certain: true,
    },
    Form {
        literals: &["connect(", "equelize(", "onnection("],
        pattern: r#"(?-u)\b(?:[0-9A-Za-z_.]*connect|Sequelize|[0-9A-Za-z_.]*[cC]onnection)\([ \t]*["'][^"'\n]*["'][ \t]*,[ \t]*["']([^"'\n]+)["'][ \t]*,[ \t]*["']([^"'\n]{4,})["']"#,
        is_certain: false,
    },
    Form {
        literals: &["/p:"],
        pattern: concat!(r"(?-u)[ \t]/u:\S+[ \t](?:[^\n|;]*?[ \t])?/p:", value!()),
        is_certain: true,
    },
    Form {
        literals: &["lftp", "ncftp"],
        pattern: concat!(r"(?-u)\b(?:lftp|ncftp)\b[^\n|;]*?[ \t]-u[ \t]*[^\s,]+,", value!()),
        is_certain: true,
    },
    Form {
        literals: &["_user ", "_password ", "user create ", "user add ", "user setpassword "],
        pattern: concat!(
            r"(?-u)\b(?:add_user|create_user|change_password|set_password|user[ \t]+(?:create|add|setpassword))[ \t]+[^\s-]\S*[ \t]+",
            value!()
        ),
        is_certain: false,
    },
    // What is kept as a secret elsewhere.
    Form {
        literals: &["secret set", "secret put", "secret create", "secrets set", "secret add"],
        pattern: concat!(
            r"(?-u)\bsecrets?[ \t]+(?:set|put|create|add)\b[^\n|;]*?[ \t](?:--body|--value|-b|--data)[ \t=]+",
            value!()
        ),
        is_certain: true,
    },
    Form {
        literals: &["--secret-string", "--secret-value"],
        pattern: concat!(r"(?-u)--secret-(?:string|value)[ \t=]+", value!()),
        is_certain: true,
    },
    Form {
        literals: &["SecureString"],
        pattern: concat!(r"(?-u)\bSecureString\b[^\n|;]*?[ \t]--value[ \t=]+", value!()),
        is_certain: true,
    },
    Form {
        literals: &["SecureString"],
        pattern: concat!(r"(?-u)[ \t]--value[ \t=]+", value!(), r"[ \t][^\n|;]*?\bSecureString\b"),
        is_certain: true,
    },
    Form {
        literals: &["ssh-keygen"],
        pattern: concat!(r"(?-u)\bssh-keygen\b[^\n|;]*?[ \t]-[NP][ \t]*", value!()),
        is_certain: true,
    },
    Form {
        literals: &["wpa_passphrase"],
        pattern: concat!(
            r#"(?-u)\bwpa_passphrase[ \t]+(?:"[^"\n]+"|'[^'\n]+'|\S+)[ \t]+"#,
            value!()
        ),
        is_certain: true,
    },
    Form {
        literals: &["WIFI:"],
        pattern: r"(?-u)\bWIFI:(?:[^\n]*?;)?P:([^\s;]{4,});",
        is_certain: true,
    },
    Form {
        literals: &["-setcookie"],
        pattern: concat!(r"(?-u)[ \t]-setcookie[ \t]+", value!()),
        is_certain: true,
    },
    // Lines of configuration: a word and its value.
    Form {
        literals: &["password 0", "password 7", "secret 0", "secret 7"],
        pattern: concat!(r"(?-u)\b(?:password|secret)[ \t]+[07][ \t]+", value!()),
        is_certain: false,
    },
    Form {
        literals: &["isakmp key"],
        pattern: concat!(
            r"(?-u)\bisakmp key[ \t]+(?:[06][ \t]+)?",
            value!(),
            r"[ \t]+(?:address|hostname)\b"
        ),
        is_certain: true,
    },
    Form {
        literals: &["requirepass", "masterauth"],
        pattern: concat!(
            r"(?m-u)^[ \t]*(?:(?:CONFIG|config)[ \t]+(?:SET|set)[ \t]+)?(?:requirepass|masterauth)[ \t]+",
            value!()
        ),
        is_certain: true,
    },
    Form {
        literals: &[" >"],
        pattern: concat!(r"(?-u)\b(?:user|SETUSER)[ \t]+\S+[ \t]+on\b[^\n]*?[ \t]>", value!()),
        is_certain: true,
    },
    Form {
        literals: &["PASSWORD", "password"],
        pattern: r#"(?i-u)\bset[ \t]+password\b[^\n;=]*=[ \t]*(?:password\([ \t]*)?["']([^"'\n]{4,})["']"#,
        is_certain: true,
    },
    Form {
        literals: &["uthorization"],
        pattern: r#"(?-u)\b[Aa]uthorization["']?[ \t,]+["'](?:Basic|Bearer|Token)[ \t]+([0-9A-Za-z+/=_.-]{8,})["']"#,
        is_certain: true,
    },
    Form {
        literals: &["@"],
        pattern: r"(?m-u)^\[?[0-9A-Za-z.-]+\]?(?::[0-9]+)?[ \t]+[^\s:@]+@[^\s:@]+:([^\s:]{4,})[ \t]*$",
        is_certain: true,
    },
    Form {
        literals: &["BUNDLE_"],
        pattern: r#"(?-u)\bBUNDLE_[0-9A-Z_]+=["']?([^\s:"']+):([^\s"']{4,})"#,
        is_certain: true,
    },
    Form {
        literals: &["pgpass", ":5432:", ":*:"],
        pattern: r"(?m-u)^[0-9A-Za-z_.*-]+:(?:[0-9]{2,5}|\*):[0-9A-Za-z_*-]+:([0-9A-Za-z_*-]+):([^\s:]{4,})[ \t]*$",
        is_certain: true,
    },
];

static COMPILED: LazyLock<Vec<std::sync::OnceLock<Regex>>> =
    LazyLock::new(|| FORMS.iter().map(|_| std::sync::OnceLock::new()).collect());

/// Returns the secrets of commands and calls in `source`.
pub(super) fn find(source: &str) -> Vec<Range<usize>> {
    let bytes = source.as_bytes();
    let mut found = Vec::new();
    for (form, compiled) in FORMS.iter().zip(COMPILED.iter()) {
        let occurs = |literal: &&str| memchr::memmem::find(bytes, literal.as_bytes()).is_some();
        if !form.literals.iter().any(occurs) {
            continue;
        }
        let pattern = compiled.get_or_init(|| compile(form.pattern));
        for captures in pattern.captures_iter(bytes) {
            let Some(secret) = (1..captures.len()).rev().find_map(|group| captures.get(group))
            else {
                continue;
            };
            let Some(text) = source.get(secret.range()) else { continue };
            if is_real(text, form.is_certain) {
                found.push(secret.range());
            }
        }
    }
    found
}

fn is_real(text: &str, is_certain: bool) -> bool {
    let how = if is_certain { How::Assigned } else { How::Said };
    if is_app_password(text) {
        return true;
    }
    !text.contains(char::is_whitespace)
        && !text.starts_with('-')
        && !is_reference(text, false)
        && !is_placeholder("password", text)
        && !is_filler(text)
        && !is_stand_in(text)
        && is_password(text, how)
}
