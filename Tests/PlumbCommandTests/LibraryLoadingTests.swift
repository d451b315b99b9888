#if os(Linux)
  import CLoader
  import Foundation
  import PlumbTestSupport
  import Testing

  /// GDAL, PROJ and GEOS are loaded only when they are needed.
  @Suite struct LibraryLoadingTests {
    /// The libraries that the dynamic loader loads during a run of the command.
    private func libraries(_ arguments: String, environment: String = "") throws -> String {
      let command = "exec '\(TestPaths.program("plumb"))' \(arguments)"
      let run = try ProgramRun("/bin/sh", ["-c", "LD_DEBUG=files \(environment) \(command)"])
      #expect(run.status == 0, "\(run.errors.suffix(2000))")
      return run.errors.split(separator: "\n").filter { $0.contains("calling init:") }
        .joined(separator: "\n")
    }

    @Test func aPlainGeoTIFFNeedsNoneOfThem() throws {
      let loaded = try libraries("identify rasters/dem/S35E018.tif --at 18.6,-34.1")
      #expect(loaded.contains("libtiff"))
      for name in ["libgdal", "libproj", "libgeos"] { #expect(!loaded.contains(name), "\(name)") }
    }

    /// GDAL settings for servers, which other packages leave in the environment, do not affect
    /// files. Settings that change how GDAL reads files are applied.
    @Test func settingsForServersDoNotNeedGDAL() throws {
      func libraries(_ setting: String) throws -> String {
        try self.libraries(
          "identify rasters/dem/S35E018.tif --at 18.6,-34.1", environment: setting)
      }
      for setting in ["GDAL_CURL_CA_BUNDLE=/none.pem", "GDAL_HTTP_TIMEOUT=3"] {
        #expect(try !libraries(setting).contains("libgdal"), "\(setting)")
      }
      #expect(try libraries("GTIFF_POINT_GEO_IGNORE=TRUE").contains("libgdal"))
    }

    @Test func othersDo() throws {
      #expect(try libraries("identify rasters/cape.json --at 18.42,-33.92").contains("libgdal"))
      let projected = try libraries(
        "identify rasters/ndvi_cape_town_3857.tif --at 18.6,-33.9 --crs EPSG:4326")
      #expect(projected.contains("libproj"))
    }

    /// Cairo is loaded only for a picture.
    @Test func picturesNeedCairo() throws {
      #expect(try !libraries("identify rasters/cape.json --at 18.42,-33.92").contains("libcairo"))
      let folder = try TemporaryFolder()
      let picture = "-o '\(folder.path("a.png"))' --size 20x20"
      #expect(try libraries("draw rasters/dem/S35E018.tif \(picture)").contains("libcairo"))
    }

    /// Runs the command where files that are not libraries have the names of libraries.
    private func run(
      _ arguments: String, without libraries: [String], _ folder: TemporaryFolder
    ) throws -> ProgramRun {
      for name in libraries { try folder.write(name, "no library") }
      let command = "exec '\(TestPaths.program("plumb"))' \(arguments)"
      return try ProgramRun(
        "/bin/sh", ["-c", "LD_LIBRARY_PATH='\(folder.path(""))' \(command)"])
    }

    /// Without GDAL, a plain GeoTIFF is read if its CRS has a common code. If only GDAL can interpret the
    /// CRS, a point in another CRS is a one-line error, and not outside of the raster.
    @Test func gdalMayBeMissing() throws {
      let folder = try TemporaryFolder()
      func run(_ arguments: String) throws -> ProgramRun {
        try self.run(arguments, without: ["libgdal.so.32", "libgdal.so"], folder)
      }
      let plain = try run("identify rasters/dem/S35E018.tif --crs EPSG:4326 --at 18.6,-34.1")
      #expect(plain.status == 0 && plain.output.contains("Band_0: 29"), "\(plain.errors)")
      let other = try run("identify rasters/evi_cape_town.tif --crs EPSG:4326 --at 18.6,-34.1")
      #expect(other.status == 1 && other.output.isEmpty, "\(other.output)")
      #expect(other.errors.contains("libgdal"), "\(other.errors)")
      #expect(other.errors.split(separator: "\n").count == 1, "\(other.errors)")
      // A plain GeoTIFF of a document does not need GDAL either.
      try FileManager.default.copyItem(
        atPath: TestPaths.rasters + "/dem/S35E018.tif", toPath: folder.path("dem.tif"))
      try folder.write(
        "map.json",
        #"{"operationalLayers":[{"id":"dem","layerType":"RasterLayer","url":"dem.tif"}],"version":"2.31"}"#
      )
      let document = try run("identify \(folder.path("map.json")) --at 18.6,-34.1")
      #expect(document.status == 0 && document.output.contains("29"), "\(document.errors)")
    }

    /// Without PROJ's database, a CRS that needs it is a one-line error, and not another CRS or none.
    @Test(arguments: [nil, "", "no database"])
    func theDatabaseOfPROJMayBeMissing(content: String?) throws {
      let folder = try TemporaryFolder()
      if let content { try folder.write("proj.db", content) }
      let fixture = try Fixture()
      try fixture.raster(
        "lo19.tif", .uint8, width: 20, bands: [[UInt8](repeating: 7, count: 400)], left: -10,
        top: 3_750_000, reference: "EPSG:2048")
      let (raster, points) = (fixture.path("lo19.tif"), fixture.path("points.gpkg"))
      let known = try ProgramRun(
        TestPaths.program("plumb"),
        ["identify", raster, "--crs", "EPSG:4326", "--at", "19,-33.876747"], isSpawned: true)
      #expect(known.output.contains("Band_0: 7"), "\(known.output)\(known.errors)")
      let copy = try ProgramRun(
        TestPaths.program("plumb"),
        ["buffer", "--at", "0,3750000", "--crs", "EPSG:2048", "--distance", "10", "-o", points])
      #expect(copy.status == 0, "\(copy.errors)")
      func run(_ arguments: [String]) throws -> ProgramRun {
        try ProgramRun(
          "/usr/bin/env", ["PROJ_DATA=" + folder.path(""), TestPaths.program("plumb")] + arguments)
      }
      for arguments in [
        ["identify", raster, "--crs", "EPSG:4326", "--at", "19,-33.876747"],
        ["identify", "rasters/evi_cape_town.tif", "--crs", "EPSG:4326", "--at", "18.6,-34.1"],
        ["identify", "rasters/dem/S35E018.tif", "--crs", "EPSG:2048", "--at", "1,1"],
        ["info", raster], ["info", points],
        ["zonal", "rasters/dem/S35E018.tif", "--areas", points],
        ["draw", raster, "-o", folder.path("a.png")],
      ] {
        let result = try run(arguments)
        #expect(result.status == 1 && result.output.isEmpty, "\(arguments): \(result.output)")
        #expect(result.errors.contains("proj.db"), "\(arguments): \(result.errors)")
        #expect(result.errors.split(separator: "\n").count == 1, "\(arguments): \(result.errors)")
      }
      // A plain GeoTIFF does not need it.
      let plain = try run(["identify", "rasters/dem/S35E018.tif", "--at", "18.6,-34.1"])
      #expect(plain.status == 0 && plain.output.contains("Band_0: 29"), "\(plain.errors)")
    }

    /// Without Cairo, a picture is a one-line error, and everything else works.
    @Test func cairoMayBeMissing() throws {
      let folder = try TemporaryFolder()
      func run(_ arguments: String) throws -> ProgramRun {
        try self.run(arguments, without: ["libcairo.so.2", "libcairo.so"], folder)
      }
      let picture = try run("draw rasters/dem/S35E018.tif -o '\(folder.path("a.png"))'")
      #expect(picture.status == 1 && picture.errors.contains("libcairo2"), "\(picture.errors)")
      #expect(picture.errors.split(separator: "\n").count == 1)
      #expect(!FileManager.default.fileExists(atPath: folder.path("a.png")))
      #expect(try run("identify rasters/cape.json --at 18.42,-33.92").status == 0)
    }

    /// While a run waits for its points, its mappings can be read.
    @Test func theProcessHasNoGDALMapped() throws {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: TestPaths.program("plumb"))
      process.arguments = ["identify", "rasters/dem/S35E018.tif", "--points", "-"]
      process.currentDirectoryURL = URL(fileURLWithPath: TestPaths.root)
      let (input, output) = (Pipe(), Pipe())
      process.standardInput = input
      process.standardOutput = output
      try process.run()
      input.fileHandleForWriting.write(Data("x,y\n18.6,-34.1\n".utf8))
      // Kernel files report a size of 0 but can be read.
      func read(_ name: String) -> String {
        let file = FileHandle(forReadingAtPath: "/proc/\(process.processIdentifier)/\(name)")
        return String(decoding: file?.readDataToEndOfFile() ?? Data(), as: UTF8.self)
      }
      // When the run only waits, it has opened the raster and read its input.
      var rests = 0
      try waitUntil("the run only waits") {
        rests = read("maps").contains("libtiff") && read("stat").contains(") S ") ? rests + 1 : 0
        return rests == 100 || !process.isRunning
      }
      let maps = read("maps")
      #expect(maps.contains("libtiff") && !maps.contains("libgdal"))
      try input.fileHandleForWriting.close()
      let rows = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      try process.waitForExit()
      #expect(process.terminationStatus == 0)
      #expect(rows.contains("18.6,-34.1,29"))
    }

    // MARK: The loader

    private typealias Files = @convention(c) () -> UnsafePointer<UnsafePointer<CChar>?>?
    private typealias Rejection = @convention(c) (UnsafeMutableRawPointer?) -> UnsafePointer<CChar>?

    private func load(_ files: Files, reject: Rejection) -> String? {
      var library = plumb_library()
      library.package = UnsafePointer(strdup("libmissing1"))
      library.files = files
      library.version = UnsafePointer(strdup("cos"))
      library.reject = reject
      return plumb_library_load(&library).map { String(cString: $0) }
    }

    private static let missing = list(["libplumb-is-not-there.so.7"])
    private static let maths = list(["libplumb-is-not-there.so.7", "libm.so.6"])

    private nonisolated static func list(_ names: [String]) -> UInt {
      let list = UnsafeMutablePointer<UnsafePointer<CChar>?>.allocate(capacity: names.count + 1)
      for (index, name) in names.enumerated() { list[index] = UnsafePointer(strdup(name)) }
      list[names.count] = nil
      return UInt(bitPattern: list)
    }

    @Test func aMissingLibraryNamesItsPackage() {
      let message =
        load({ UnsafePointer(bitPattern: LibraryLoadingTests.missing) }, reject: { _ in nil }) ?? ""
      #expect(
        message.hasPrefix(
          "libplumb-is-not-there.so.7 cannot be loaded; install Debian's libmissing1"))
    }

    @Test func anotherVersionIsRefused() {
      let message = load(
        { UnsafePointer(bitPattern: LibraryLoadingTests.maths) },
        reject: { $0 == nil ? nil : UnsafePointer(strdup("it is too old")) })
      #expect(message == "it is too old; install Debian's libmissing1")
    }

    @Test func thereItIs() {
      let message = load(
        { UnsafePointer(bitPattern: LibraryLoadingTests.maths) }, reject: { _ in nil })
      #expect(message == nil)
    }
  }
#endif
