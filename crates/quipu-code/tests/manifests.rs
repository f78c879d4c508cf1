//! A sample of each manifest, and what is read from it.

use quipu_code::{Manifest, ManifestKind, describe_manifest, manifest};

/// Returns a manifest's dependencies as `name version`, with a star for development.
fn depends(manifest: &Manifest) -> Vec<String> {
    let shown = manifest.dependencies.iter().map(|dependency| {
        let version = dependency.version.as_deref().unwrap_or("-");
        format!("{} {version}{}", dependency.name, if dependency.dev { " *" } else { "" })
    });
    shown.collect()
}

/// Returns a manifest's scripts as `name: what it does`.
fn runs(manifest: &Manifest) -> Vec<String> {
    manifest.scripts.iter().map(|(name, does)| format!("{name}: {does}")).collect()
}

#[test]
fn a_cargo_manifest_names_packages_of_its_workspace_and_targets() {
    let text = r#"
        [package]
        name = "shop"
        [dependencies]
        serde = { version = "1.0", features = ["derive"] }
        money = { path = "../money" }
        log.workspace = true
        [dev-dependencies]
        insta = "1"
        [build-dependencies]
        cc = "1"
        [workspace.dependencies]
        toml = "1.1"
        [target.'cfg(unix)'.dependencies]
        rustix = { git = "https://example.com/rustix" }
        [[bin]]
        name = "till"
        path = "src/till.rs"
    "#;
    let shop = manifest("a/Cargo.toml", text).unwrap();
    assert_eq!((shop.kind, shop.name.as_deref()), (ManifestKind::Cargo, Some("shop")));
    assert_eq!(
        depends(&shop),
        [
            "log workspace",
            "money path ../money",
            "serde 1.0",
            "insta 1 *",
            "cc 1 *",
            "toml 1.1",
            "rustix git https://example.com/rustix"
        ]
    );
    assert_eq!(runs(&shop), ["till: binary src/till.rs"]);
}

#[test]
fn a_package_json_has_scripts_and_dependencies() {
    let text = r#"{"name": "@shop/web", "scripts": {"build": "tsc  -p .", "test": "vitest"},
        "dependencies": {"react": "^19.0.0"}, "devDependencies": {"vite": "7", "react": "^19.0.0"},
        "peerDependencies": {"zod": 4}}"#;
    let web = manifest("package.json", text).unwrap();
    assert_eq!(depends(&web), ["react ^19.0.0", "zod -", "vite 7 *"]);
    assert_eq!(runs(&web), ["build: tsc -p .", "test: vitest"]);
    assert_eq!(
        describe_manifest("web/package.json", &web),
        "web/package.json (npm): @shop/web\n\
         Runs: build (tsc -p .), test (vitest)\n\
         Depends on: react ^19.0.0, zod\n\
         For development: vite 7"
    );
}

#[test]
fn a_python_project_may_be_written_in_two_ways() {
    let standard = r#"
        [project]
        name = "mail"
        dependencies = ["requests[socks] >= 2.8, < 3 ; python_version > '3.8'", "rich"]
        [project.optional-dependencies]
        test = ["pytest~=8.0"]
        [dependency-groups]
        lint = ["ruff", { include-group = "test" }]
        [project.scripts]
        mail = "mail.cli:main"
    "#;
    let mail = manifest("pyproject.toml", standard).unwrap();
    assert_eq!(mail.name.as_deref(), Some("mail"));
    assert_eq!(depends(&mail), ["requests >= 2.8, < 3", "rich -", "pytest ~=8.0 *", "ruff - *"]);
    assert_eq!(runs(&mail), ["mail: mail.cli:main"]);
    let poetry = r#"
        [tool.poetry]
        name = "post"
        [tool.poetry.dependencies]
        python = "^3.12"
        httpx = { version = "^0.27", extras = ["http2"] }
        [tool.poetry.group.dev.dependencies]
        mypy = "*"
        [tool.poetry.scripts]
        post = "post:run"
    "#;
    let post = manifest("pyproject.toml", poetry).unwrap();
    assert_eq!(post.name.as_deref(), Some("post"));
    assert_eq!(depends(&post), ["httpx ^0.27", "mypy * *"]);
    assert_eq!(runs(&post), ["post: post:run"]);
}

#[test]
fn requirements_are_read_line_by_line() {
    let text = "# pinned\r\nflask==3.0 # web\r\n-r base.txt\r\n\
        git+https://example.com/x.git\r\nattrs @ https://example.com/a.whl\r\n\r\nzope.event\r\n";
    let pinned = manifest("requirements.txt", text).unwrap();
    assert_eq!(
        depends(&pinned),
        ["flask ==3.0", "attrs @ https://example.com/a.whl", "zope.event -"]
    );
    assert!(manifest("requirements-dev.txt", "black").unwrap().dependencies[0].dev);
}

#[test]
fn a_go_module_lists_what_it_needs_itself() {
    let text = "module example.com/shop\n\ngo 1.24\n\nrequire example.com/one v1.2.3\n\n\
        require (\n\texample.com/two v0.1.0 // why\n\texample.com/far v1.0.0 // indirect\n)\n\n\
        replace example.com/two => ../two\n";
    let shop = manifest("go.mod", text).unwrap();
    assert_eq!(shop.name.as_deref(), Some("example.com/shop"));
    assert_eq!(depends(&shop), ["example.com/one v1.2.3", "example.com/two v0.1.0"]);
}

#[test]
fn a_pom_is_read_without_its_parent() {
    let text = "<?xml version=\"1.0\"?>\n<project xmlns=\"http://x\">\n<!-- <artifactId>no</artifactId> -->\n\
        <parent><artifactId>parent</artifactId></parent>\n<artifactId>shop</artifactId>\n<dependencies>\n\
        <dependency><groupId>org.a</groupId><artifactId>b</artifactId><version>${v}</version></dependency>\n\
        <dependency><groupId>org.junit</groupId><artifactId>junit</artifactId><scope>test</scope>\n\
        <exclusions><exclusion><artifactId>c</artifactId></exclusion></exclusions></dependency>\n\
        </dependencies></project>";
    let shop = manifest("pom.xml", text).unwrap();
    assert_eq!(shop.name.as_deref(), Some("shop"));
    assert_eq!(depends(&shop), ["org.a:b ${v}", "org.junit:junit - *"]);
}

#[test]
fn gradle_is_read_in_both_dialects() {
    let groovy = "dependencies {\n  implementation 'org.a:b:1.0'\n  testImplementation \"org.j:unit:5\"\n\
        implementation project(':core')\n}\ntask hello { }\n";
    let shop = manifest("build.gradle", groovy).unwrap();
    assert_eq!(depends(&shop), ["org.a:b 1.0", "org.j:unit 5 *", ":core project"]);
    assert_eq!(runs(&shop), ["hello: task"]);
    let kotlin = "dependencies {\n  implementation(\"org.a:b:1.0\")\n  api(libs.guava)\n}\n\
        tasks.register<Copy>(\"pack\") {\n}\n";
    let shop = manifest("app/build.gradle.kts", kotlin).unwrap();
    assert_eq!(depends(&shop), ["org.a:b 1.0"]);
    assert_eq!(runs(&shop), ["pack: task"]);
}

#[test]
fn make_and_just_say_what_can_be_run() {
    let make = "CC := gcc\nVERSION ?= 1\nURL = http://x\n.PHONY: all\nall: build test\n\n\
        build: main.c ## Builds it\n\t$(CC) main.c\n\ntest lint:\n\t@./run test\n%.o: %.c\n\tcc $<\n";
    let make = manifest("Makefile", make).unwrap();
    assert_eq!(
        runs(&make),
        ["all: build test", "build: Builds it", "test: ./run test", "lint: ./run test"]
    );
    let just = "set shell := [\"sh\"]\nversion := \"1\"\nalias b := build\n\n# Builds it.\n[unix]\n\
        build target=\"x\": clean\n    cargo build\n\n@clean:\n    rm -rf target\n\n_hidden:\n    true\n";
    let just = manifest("justfile", just).unwrap();
    assert_eq!(runs(&just), ["build: Builds it.", "clean: rm -rf target"]);
}

#[test]
fn cmake_says_what_is_built() {
    let text = "cmake_minimum_required(VERSION 3.20)\nproject(Draw\n  LANGUAGES CXX)\n\
        # add_executable(old old.cpp)\nfind_package(Qt6 6.5 REQUIRED)\nadd_library(shapes STATIC a.cpp)\n\
        ADD_EXECUTABLE(draw main.cpp)\nadd_test(NAME unit COMMAND draw)\n";
    let draw = manifest("CMakeLists.txt", text).unwrap();
    assert_eq!(draw.name.as_deref(), Some("Draw"));
    assert_eq!(depends(&draw), ["Qt6 6.5"]);
    assert_eq!(runs(&draw), ["shapes: library", "draw: executable", "unit: test"]);
}

#[test]
fn what_is_no_manifest_gives_nothing() {
    assert_eq!(manifest("src/lib.rs", ""), None);
    assert_eq!(manifest("package.json", "[]"), None);
    assert_eq!(manifest("package.json", "{"), None);
    assert_eq!(manifest("Cargo.toml", "= x"), None);
}
