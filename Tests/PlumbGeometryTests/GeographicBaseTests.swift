import PlumbCore
import Testing

@testable import PlumbGeometry

@Suite struct GeographicBaseTests {
  @Test func degreesStayTheSameBits() throws {
    for text in ["EPSG:4326", "OGC:CRS84", "EPSG:4269", "EPSG:4267", "+proj=longlat +R=6371000"] {
      let base = try GeographicBase(SpatialReference(text))
      let points = [SIMD2(0.1, 0.2), SIMD2(-180, 90), SIMD2(540, -89.999_999_999_999_99)]
      #expect(try base.toDegrees(points) == points)
      #expect(try base.fromDegrees(points) == points)
      #expect(base.isIdentity)
    }
  }

  /// EPSG's own worked example of Lambert's projection with two parallels (Guidance note 7-2):
  /// NAD27 / Texas South Central, US survey feet.
  @Test func projectedPointsComeBackOnTheirOwnDatum() throws {
    let base = try GeographicBase(SpatialReference("EPSG:32040"))
    let point = try base.toDegrees(SIMD2(2_963_503.91, 254_759.80))
    #expect((point.x + 96).magnitude < 1e-7)
    #expect((point.y - 28.5).magnitude < 1e-7)
    #expect(base.ellipsoid.semiMajorAxis == 6_378_206.4)
    let back = try base.fromDegrees(SIMD2(-96, 28.5))
    #expect((back.x - 2_963_503.91).magnitude < 0.01 && (back.y - 254_759.80).magnitude < 0.01)
  }

  @Test func gradsBecomeDegreesFromParis() throws {
    let base = try GeographicBase(SpatialReference("EPSG:4807"))
    let point = try base.toDegrees(SIMD2(10, 54))
    #expect((point.x - 9).magnitude < 1e-13 && (point.y - 48.6).magnitude < 1e-13)
    #expect(try base.toDegrees(SIMD2(0, 100)).y == 90)
    let back = try base.fromDegrees(SIMD2(9, 48.6))
    #expect((back.x - 10).magnitude < 1e-12 && (back.y - 54).magnitude < 1e-12)
    // Lambert zone II uses metres but grads for angles: its prime meridian is Paris, and its origin
    // is at 52 grads.
    let lambert = try GeographicBase(SpatialReference("EPSG:27572"))
    let origin = try lambert.toDegrees(SIMD2(600_000, 2_200_000))
    #expect(origin.x.magnitude < 1e-9 && (origin.y - 46.8).magnitude < 1e-9)
  }

  /// A transformation to WGS84 in a definition does not matter.
  @Test func boundReferencesStayOnTheirDatum() throws {
    let plain = try GeographicBase(SpatialReference("+proj=utm +zone=33 +ellps=intl"))
    let bound = try GeographicBase(
      SpatialReference("+proj=utm +zone=33 +ellps=intl +towgs84=-87,-98,-121"))
    let point = SIMD2(400_000.0, 5_000_000)
    #expect(try plain.toDegrees(point) == bound.toDegrees(point))
    let degrees = try GeographicBase(
      SpatialReference("+proj=longlat +ellps=intl +towgs84=-87,-98,-121"))
    #expect(degrees.isIdentity)
  }

  @Test func turnedPolesAreTakenToTheirBase() throws {
    let turned = try GeographicBase(
      SpatialReference(
        "+proj=ob_tran +o_proj=longlat +o_lon_p=0 +o_lat_p=40 +lon_0=0 +R=6371000 +type=crs"))
    let point = try turned.toDegrees(SIMD2(0, 90))
    #expect((point.y - 40).magnitude < 1e-9)
  }

  @Test func whatHasNoGroundIsAnError() throws {
    #expect(throws: GeometryError.self) { try GeographicBase(of: nil) }
    let local = try SpatialReference("LOCAL_CS[\"site\",UNIT[\"metre\",1]]")
    #expect(throws: GeometryError.self) { try GeographicBase(local) }
    let base = try GeographicBase(of: .wgs84)
    for point in [SIMD2(0, 90.000_001), SIMD2(0, -91), SIMD2(.nan, 0), SIMD2(0, .infinity)] {
      #expect(throws: GeometryError.self) { try base.toDegrees(point) }
    }
    let mercator = try GeographicBase(SpatialReference("EPSG:32633"))
    #expect(throws: GeometryError.self) { try mercator.toDegrees(SIMD2(1e30, 1e30)) }
  }
}
